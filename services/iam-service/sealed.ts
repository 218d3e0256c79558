import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { InstallationKeys } from './installation-keys.ts';

const VERSION = 1;
const ID_BYTES = 4;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const HEAD_BYTES = 1 + ID_BYTES;

/** What a sealed text is for and where it lives. Opening it anywhere else fails (safety rule 44). */
export type Place = { purpose: string; context: readonly string[] };

/** Encrypts with AES-256-GCM; layout: version, key id, IV, tag, ciphertext. */
export function seal(keys: InstallationKeys, plain: Uint8Array, place: Place): Buffer {
  const { id, key } = keys.newest(place.purpose);
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, iv, { authTagLength: TAG_BYTES });
  cipher.setAAD(additionalData(place));
  const body = Buffer.concat([cipher.update(plain), cipher.final()]);
  return Buffer.concat([Buffer.from([VERSION]), Buffer.from(id, 'hex'), iv, cipher.getAuthTag(), body]);
}

/** Decrypts what {@link seal} made for the same place; throws when a byte or the place differs. */
export function unseal(keys: InstallationKeys, sealed: Uint8Array, place: Place): Buffer {
  const bytes = Buffer.from(sealed);
  const key = keys.find(place.purpose, bytes.subarray(1, HEAD_BYTES).toString('hex'));
  if (bytes[0] !== VERSION || bytes.length < HEAD_BYTES + IV_BYTES + TAG_BYTES || key === undefined) {
    throw new Error(`sealed ${place.purpose}: unknown format, or its secret is no longer configured`);
  }
  const body = HEAD_BYTES + IV_BYTES + TAG_BYTES;
  const iv = bytes.subarray(HEAD_BYTES, HEAD_BYTES + IV_BYTES);
  const decipher = createDecipheriv('aes-256-gcm', key.key, iv, { authTagLength: TAG_BYTES });
  decipher.setAuthTag(bytes.subarray(HEAD_BYTES + IV_BYTES, body));
  decipher.setAAD(additionalData(place));
  return Buffer.concat([decipher.update(bytes.subarray(body)), decipher.final()]);
}

/** JSON keeps the parts apart: ['a', 'bc'] and ['ab', 'c'] are different places. */
function additionalData({ purpose, context }: Place): Buffer {
  return Buffer.from(JSON.stringify([purpose, ...context]));
}
