import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';

/** Where a sealed code lives; opened anywhere else it fails (safety rule 44). */
export type CodePlace = { readonly tenantId: string; readonly credentialId: string };

/** Seals what opens a door, and opens it again for whoever may see it. */
export type Safe = {
  seal(code: string, place: CodePlace): Buffer;
  open(sealed: Uint8Array, place: CodePlace): string;
};

const VERSION = 1;
const ID_BYTES = 4;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const HEAD_BYTES = 1 + ID_BYTES;

/**
 * AES-256-GCM with keys derived from the installation's secrets, newest first: the newest seals, all of them open.
 * Layout: version, name of the secret, IV, tag, ciphertext. Codes are padded, so that the length says nothing.
 */
export function codeSafe(secrets: readonly string[]): Safe {
  const keys = secrets.map(secret => ({ id: nameOf(secret), key: derived(secret, 'door codes') }));
  const [newest] = keys;
  if (newest === undefined) throw new TypeError('codeSafe: at least one secret is needed');
  return {
    seal(code, place) {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv('aes-256-gcm', newest.key, iv, { authTagLength: TAG_BYTES });
      cipher.setAAD(placeBytes(place));
      const body = Buffer.concat([cipher.update(code.padEnd(32), 'utf8'), cipher.final()]);
      return Buffer.concat([Buffer.from([VERSION]), newest.id, iv, cipher.getAuthTag(), body]);
    },
    open(sealed, place) {
      const bytes = Buffer.from(sealed);
      const found = keys.find(({ id }) => id.equals(bytes.subarray(1, HEAD_BYTES)));
      if (bytes[0] !== VERSION || found === undefined)
        throw new Error('a sealed door code has an unknown format, or its secret is no longer configured');
      const body = HEAD_BYTES + IV_BYTES + TAG_BYTES;
      const iv = bytes.subarray(HEAD_BYTES, HEAD_BYTES + IV_BYTES);
      const decipher = createDecipheriv('aes-256-gcm', found.key, iv, { authTagLength: TAG_BYTES });
      decipher.setAuthTag(bytes.subarray(HEAD_BYTES + IV_BYTES, body));
      decipher.setAAD(placeBytes(place));
      const plain = Buffer.concat([decipher.update(bytes.subarray(body)), decipher.final()]);
      return plain.toString('utf8').trimEnd();
    },
  };
}

/** JSON keeps the parts apart. */
function placeBytes({ tenantId, credentialId }: CodePlace): Buffer {
  return Buffer.from(JSON.stringify(['door code', tenantId, credentialId]));
}

function derived(secret: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, 'melmastoon', `lock_integration ${purpose}`, 32));
}

/** Names a secret and says nothing about it. */
function nameOf(secret: string): Buffer {
  return createHash('sha256').update(derived(secret, 'name')).digest().subarray(0, ID_BYTES);
}
