import { createHmac, timingSafeEqual } from 'node:crypto';

/** Signs what a service publishes, so that a message somebody put on the broker by hand is recognised (safety rule 28). */
export type Signer = {
  sign(text: string): string;
  verify(text: string, signature: string | undefined): boolean;
};

/** A key with its name; the first one signs, all of them verify, so that keys can be changed while messages wait. */
export type SigningKey = { readonly id: string; readonly secret: string };

/** A signer over the exact text of an envelope. */
export function createSigner(keys: readonly [SigningKey, ...SigningKey[]]): Signer {
  const byId = new Map(keys.map(({ id, secret }) => [id, secret]));
  const mac = (secret: string, text: string) => createHmac('sha256', secret).update(text).digest('base64url');
  return {
    sign: text => `${keys[0].id}.${mac(keys[0].secret, text)}`,
    verify(text, signature = '') {
      const dot = signature.indexOf('.');
      const secret = byId.get(signature.slice(0, Math.max(0, dot)));
      if (secret === undefined) return false;
      const given = Buffer.from(signature.slice(dot + 1));
      const expected = Buffer.from(mac(secret, text));
      return given.length === expected.length && timingSafeEqual(given, expected);
    },
  };
}
