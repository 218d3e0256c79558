import { createHmac, timingSafeEqual } from 'node:crypto';
import { minutes, seconds } from '@ghasi/domain-primitives/duration';

/** A signature older or newer than this is refused: a recorded message cannot be sent again next week. */
export const signatureToleranceMs = minutes(5);

/** What a signature covers: the moment, in whole seconds, and the raw body by its SHA-256. */
export type Signed = { readonly timestamp: string; readonly bodySha256: string };

/** HMAC-SHA-256 as lower-case hex over the moment and the digest of the raw body. */
export function signWebhook(secret: string, { timestamp, bodySha256 }: Signed): string {
  return createHmac('sha256', secret).update(`${timestamp}.${bodySha256}`).digest('hex');
}

/** True when the signature is right and fresh. Compares in constant time. */
export function isSignedBy(
  secret: string,
  { timestamp, bodySha256, signature }: Signed & { signature: string },
  now: Date,
): boolean {
  if (!/^\d{1,12}$/.test(timestamp) || !/^[0-9a-f]{64}$/.test(signature)) return false;
  const age = Math.abs(now.getTime() - seconds(Number(timestamp)));
  const expected = Buffer.from(signWebhook(secret, { timestamp, bodySha256 }), 'hex');
  const fits = timingSafeEqual(expected, Buffer.from(signature, 'hex'));
  return fits && age <= signatureToleranceMs;
}

/** One header as text; a header that came twice is none. */
export function headerOf(
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
  name: string,
): string {
  const value = headers[name];
  return typeof value === 'string' ? value : '';
}
