import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { minutes } from '@ghasi/domain-primitives/duration';
import type { TenantId } from '@ghasi/domain-primitives/ids';
import type { z } from 'zod';
import { type handoffBody, handoffPayload } from './contract/manage-api.ts';
import { errors } from './errors.ts';

/** TB-57: a handoff is good for so long at most, whatever it says of itself. */
export const MINT_WINDOW_MS = minutes(30);

/** Clocks of two sites may differ by so much. */
const SKEW_MS = minutes(1);

export type Handoff = z.output<typeof handoffPayload>;
type Signed = z.output<typeof handoffBody>;

/** Signs a handoff, as the consumer site does. */
export function signHandoff(payload: Handoff, { keyId, key }: { keyId: string; key: string }): Signed {
  const text = JSON.stringify(payload);
  return { payload: text, signature: macOf(keyId, text, key), keyId };
}

/**
 * Checks signature, audience, tenant and time, and reads the payload only then. Whatever is wrong with who made it and
 * for whom is one refusal: it tells nobody which part he got right (safety 23).
 */
export function readHandoff(
  { payload, signature, keyId }: Signed,
  { keys, tenantId, now }: { keys: ReadonlyMap<string, string>; tenantId: TenantId; now: Date },
): Handoff {
  const key = keys.get(keyId);
  // The same work for a key we do not know.
  const expected = Buffer.from(macOf(keyId, payload, key ?? 'none'));
  const given = Buffer.from(signature);
  if (key === undefined || expected.length !== given.length || !timingSafeEqual(expected, given))
    throw errors.HANDOFF_REFUSED();
  const parsed = handoffPayload.safeParse(jsonOf(payload));
  if (!parsed.success || parsed.data.tenantId !== tenantId) throw errors.HANDOFF_REFUSED();
  const [minted, expires] = [Date.parse(parsed.data.mintedAt), Date.parse(parsed.data.expiresAt)];
  const at = now.getTime();
  if (minted > at + SKEW_MS || expires - minted > MINT_WINDOW_MS) throw errors.HANDOFF_REFUSED();
  if (expires <= at) throw errors.HANDOFF_EXPIRED();
  return parsed.data;
}

/** What a signature is known by: the log never holds one that could be used. */
export function fingerprintOf(signature: string): string {
  return createHash('sha256').update(signature).digest('hex');
}

function macOf(keyId: string, payload: string, key: string): string {
  return createHmac('sha256', key).update(`melmastoon.handoff.v1\n${keyId}\n${payload}`).digest('base64url');
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
