import { fitsToken, type TokenName, tokenVocabulary } from '@melmastoon/theme-config-service/contract/tokens';
import { type Html, trusted } from './html.ts';

type Token = { name: string; value: string };

/**
 * The look of a hotel as a style element. Only values in the closed form of their token are printed, so nothing that a
 * manager could store becomes anything but a colour, a font, a size or a shadow.
 */
export function themeStyle(tokens: readonly Token[], nonce: string): Html {
  assertNonce(nonce);
  const rules = tokens
    .filter(token => isToken(token) && tokenVocabulary[token.name as TokenName] !== 'image')
    .map(
      ({ name, value }) =>
        `--${name.replaceAll('.', '-')}:${name.startsWith('font.') ? `"${value}"` : value}`,
    );
  return trusted(`<style nonce="${nonce}">:root{${rules.join(';')}}</style>`);
}

/**
 * Letters for phones whose own font lacks those of Pashto. Not for English pages, and never waited for: the text is
 * there in the phone's font until it has come. Only Arabic letters and figures are of it, so a page in Latin asks for none.
 */
export function letters(fontUrl: string, nonce: string): Html {
  assertNonce(nonce);
  if (!/^[\w./-]+$/.test(fontUrl)) throw new TypeError('the address of a font is one of our own');
  return trusted(
    `<style nonce="${nonce}">@font-face{font-family:Vazirmatn;src:url(${fontUrl}) format("woff2");font-weight:100 900;font-display:swap;unicode-range:U+0600-06FF,U+0750-077F,U+200C-200D,U+FB50-FDFF,U+FE70-FEFC}</style>`,
  );
}

function assertNonce(nonce: string): void {
  if (!/^[A-Za-z0-9+/=_-]+$/.test(nonce)) throw new TypeError('a nonce is base64');
}

/** The value of a colour token, for drawings; `fallback` when the hotel has none. */
export function colourOf(tokens: readonly Token[], name: TokenName, fallback: string): string {
  return tokens.find(token => token.name === name && isToken(token))?.value ?? fallback;
}

function isToken({ name, value }: Token): boolean {
  return Object.hasOwn(tokenVocabulary, name) && fitsToken(name as TokenName, value);
}
