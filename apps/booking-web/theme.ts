import { fitsToken, type TokenName, tokenVocabulary } from '@melmastoon/theme-config-service/contract/tokens';
import { type Html, trusted } from './html.ts';

type Token = { name: string; value: string };

/**
 * The look of a hotel as a style element. Only values in the closed form of their token are printed, so nothing that a
 * manager could store becomes anything but a colour, a font, a size or a shadow.
 */
export function themeStyle(tokens: readonly Token[], nonce: string): Html {
  if (!/^[A-Za-z0-9+/=_-]+$/.test(nonce)) throw new TypeError('a nonce is base64');
  const rules = tokens
    .filter(token => isToken(token) && tokenVocabulary[token.name as TokenName] !== 'image')
    .map(
      ({ name, value }) =>
        `--${name.replaceAll('.', '-')}:${name.startsWith('font.') ? `"${value}"` : value}`,
    );
  return trusted(`<style nonce="${nonce}">:root{${rules.join(';')}}</style>`);
}

/** The value of a colour token, for drawings; `fallback` when the hotel has none. */
export function colourOf(tokens: readonly Token[], name: TokenName, fallback: string): string {
  return tokens.find(token => token.name === name && isToken(token))?.value ?? fallback;
}

function isToken({ name, value }: Token): boolean {
  return Object.hasOwn(tokenVocabulary, name) && fitsToken(name as TokenName, value);
}
