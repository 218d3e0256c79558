import { createHash, timingSafeEqual } from 'node:crypto';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { isId } from '@ghasi/domain-primitives/ids';
import { calculateJwkThumbprint, compactVerify, decodeProtectedHeader, importJWK, type JWK } from 'jose';
import { z } from 'zod';
import { lifetimes } from './model.ts';
import { type Device, findLiveDevice, spendNonce } from './queries/devices.ts';

/** The header a device signs each request in. */
export const DEVICE_PROOF_HEADER = 'device-proof';

/** `typ` of a proof. */
export const PROOF_TYPE = 'melm-device-proof+jwt';

const coordinate = z.string().regex(/^[A-Za-z0-9_-]{43}$/);

/** Public keys a device may have: ECDSA P-256 (WebCrypto, not extractable) or Ed25519. */
export const deviceKey = z.union([
  z.strictObject({ kty: z.literal('EC'), crv: z.literal('P-256'), x: coordinate, y: coordinate }),
  z.strictObject({ kty: z.literal('OKP'), crv: z.literal('Ed25519'), x: coordinate }),
]);
export type DeviceKey = z.output<typeof deviceKey>;

/** A request as the server saw it, and the proof that came with it. */
export type SignedRequest = {
  proof: string | undefined;
  method: string;
  /** Path and query exactly as sent. */
  target: string;
  /** SHA-256 of the raw body, lower-case hex. */
  bodyHash: string;
  /** The access or refresh token the request presents, if any. */
  token?: string | undefined;
};

/**
 * What a proof signs: method, path, body, moment, a nonce, and the token beside it. Like DPoP (RFC 9449), plus the
 * body; the key is not in the header but registered, and named by `kid`.
 */
const claims = z.strictObject({
  htm: z.string(),
  htu: z.string(),
  /** SHA-256 of the raw body, lower-case hex; of zero bytes when there is none. */
  bh: z.string(),
  nonce: z.string().regex(/^[A-Za-z0-9_-]{16,64}$/),
  /** Seconds since 1970. */
  iat: z.number(),
  /** base64url SHA-256 of the token; absent when the request carries none. */
  ath: z.string().optional(),
});

const header = z.strictObject({
  alg: z.enum(['ES256', 'EdDSA']),
  typ: z.literal(PROOF_TYPE),
  kid: z.string(),
});

/**
 * The paired device that signed exactly this request, now and for the first time; undefined for anything else. Spends
 * the nonce, so it needs a transaction that commits also when the request is refused afterwards.
 */
export async function provenDevice(ctx: Ctx, request: SignedRequest): Promise<Device | undefined> {
  const kid = request.proof === undefined ? undefined : kidOf(request.proof);
  if (request.proof === undefined || !isId('dev', kid)) return undefined;
  const device = await findLiveDevice(ctx, kid);
  if (device === undefined) return undefined;
  const nonce = await verifiedNonce(device.public_jwk, { ...request, proof: request.proof }, ctx.now);
  if (nonce === undefined) return undefined;
  const expiresAt = new Date(ctx.now.getTime() + 2 * lifetimes.proofSkewMs);
  return (await spendNonce(ctx, { deviceId: device.id, nonce, expiresAt })) ? device : undefined;
}

/** True when the holder of a key that is not registered yet signed this request; `kid` is the key's thumbprint. */
export async function provesPossession(key: DeviceKey, request: SignedRequest, now: Date): Promise<boolean> {
  if (request.proof === undefined || kidOf(request.proof) !== (await thumbprintOf(key))) return false;
  return (await verifiedNonce(key, { ...request, proof: request.proof }, now)) !== undefined;
}

/** RFC 7638. */
export function thumbprintOf(key: DeviceKey): Promise<string> {
  return calculateJwkThumbprint(key as JWK, 'sha256');
}

async function verifiedNonce(
  key: JWK,
  request: SignedRequest & { proof: string },
  now: Date,
): Promise<string | undefined> {
  const algorithm = key.kty === 'EC' ? 'ES256' : 'EdDSA';
  try {
    const { payload } = await compactVerify(request.proof, await importJWK(key, algorithm), {
      algorithms: [algorithm],
    });
    const said = claims.parse(JSON.parse(new TextDecoder().decode(payload)));
    const fits =
      said.htm === request.method &&
      said.htu === request.target &&
      said.bh === request.bodyHash &&
      Math.abs(said.iat * 1000 - now.getTime()) <= lifetimes.proofSkewMs &&
      tokenFits(said.ath, request.token);
    return fits ? said.nonce : undefined;
  } catch {
    return undefined;
  }
}

function tokenFits(said: string | undefined, token: string | undefined): boolean {
  if (said === undefined || token === undefined) return said === token;
  const wanted = createHash('sha256').update(token).digest();
  const given = Buffer.from(said, 'base64url');
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}

function kidOf(proof: string): string | undefined {
  try {
    return header.parse(decodeProtectedHeader(proof)).kid;
  } catch {
    return undefined;
  }
}
