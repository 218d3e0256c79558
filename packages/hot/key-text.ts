import { createHash } from 'node:crypto';

/** A longer part is replaced by its hash, so that a key stays below the ledger's 512 characters (CACHE-01). */
const MAX_PART = 64;

/**
 * One part of a key in characters that mean nothing to any store: letters, digits, `_`, `.` and `-` stay, every other
 * UTF-16 unit becomes `~` and four hex digits. Different texts give different parts, and none contains a separator.
 */
export function keyPart(text: string): string {
  const plain = text.replaceAll(
    /[^A-Za-z0-9_.-]/g,
    unit => `~${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  if (plain.length <= MAX_PART) return plain;
  // `=` occurs in no plain part; 256 bits of SHA-256 over the plain form, since UTF-8 would merge half surrogates.
  return `=${createHash('sha256').update(plain).digest('base64url')}`;
}
