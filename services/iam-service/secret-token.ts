import { createHash, randomBytes, randomInt } from 'node:crypto';

/** A secret to hand out once and what is stored of it. */
export type SecretToken = { readonly text: string; readonly hash: Buffer };

/** What a token opens; part of its hash, so that one kind can never be used as another. */
export type TokenKind = 'refresh' | 'sign-in' | 'password-link' | 'recovery' | 'pairing';

/** 256 random bits as base64url with a prefix that secret scanners can find. */
export function newSecretToken(kind: 'refresh' | 'sign-in' | 'password-link'): SecretToken {
  const text = `melm_${shortNames[kind]}_${randomBytes(32).toString('base64url')}`;
  return { text, hash: hashToken(kind, text) };
}

const shortNames = { refresh: 'rt', 'sign-in': 'si', 'password-link': 'pl' } as const;

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'; // Crockford: no I, L, O, U to misread

/** A code people type: groups of five characters, 5 bits each (recovery 100 bits, pairing 50 bits for 10 minutes). */
export function newTypedCode(kind: 'recovery' | 'pairing'): SecretToken {
  const groups = Array.from({ length: kind === 'recovery' ? 4 : 2 }, () =>
    Array.from({ length: 5 }, () => ALPHABET[randomInt(ALPHABET.length)]).join(''),
  );
  const text = groups.join('-');
  return { text, hash: hashToken(kind, text) };
}

/** What to look a presented token up by. A fast hash is enough: nobody guesses these. */
export function hashToken(kind: TokenKind, text: string): Buffer {
  const said = kind === 'recovery' || kind === 'pairing' ? asTyped(text) : text;
  return createHash('sha256').update(`${kind}\0${said}`).digest();
}

/** Small letters, spaces, and the letters that look like digits, as people type them. */
function asTyped(text: string): string {
  return text.toUpperCase().replaceAll(/[\s-]/g, '').replaceAll('O', '0').replaceAll(/[IL]/g, '1');
}
