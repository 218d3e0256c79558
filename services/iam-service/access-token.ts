import type { Database } from '@ghasi/db/database';
import { type Id, isId, isTenantId, type TenantId } from '@ghasi/domain-primitives/ids';
import { decodeProtectedHeader, jwtVerify, SignJWT } from 'jose';
import { z } from 'zod';
import type { Iam } from './iam.ts';
import { ACCESS_ALGORITHM } from './signing-keys.ts';

/** RFC 9068: no other JWT of ours can be taken for an access token. */
const TYPE = 'at+jwt';

/** What an access token says. Rights are not in it: they are asked for on every request. */
export type AccessClaims = { tenantId: TenantId; operatorId: Id<'usr'>; sessionId: Id<'ses'> };

/** Signs an access token; returns it with its end. */
export async function signAccessToken(
  iam: Iam,
  { db, now }: { db: Database; now: Date },
  claims: AccessClaims,
): Promise<{ token: string; expiresAt: Date }> {
  const { kid, key } = await iam.signing.current(db, now);
  const issued = Math.floor(now.getTime() / 1000);
  const expires = issued + Math.floor(iam.config.accessTokenMs / 1000);
  const token = await new SignJWT({ tid: claims.tenantId, sid: claims.sessionId })
    .setProtectedHeader({ alg: ACCESS_ALGORITHM, typ: TYPE, kid })
    .setIssuer(iam.config.issuer)
    .setAudience(iam.config.audience)
    .setSubject(claims.operatorId)
    .setIssuedAt(issued)
    .setNotBefore(issued)
    .setExpirationTime(expires)
    .sign(key);
  return { token, expiresAt: new Date(expires * 1000) };
}

const header = z.strictObject({
  alg: z.literal(ACCESS_ALGORITHM),
  typ: z.literal(TYPE),
  kid: z.custom<string>(value => isId('sgk', value)),
});

const payload = z.strictObject({
  iss: z.string(),
  aud: z.string(),
  sub: z.custom<Id<'usr'>>(value => isId('usr', value)),
  sid: z.custom<Id<'ses'>>(value => isId('ses', value)),
  tid: z.custom<TenantId>(isTenantId),
  iat: z.int(),
  nbf: z.int(),
  exp: z.int(),
});

/**
 * Reads an access token; undefined unless it is exactly one of ours (safety rule 19). The header is matched whole, so
 * that `jku`, `jwk`, `x5c`, `crit` and whatever comes next never choose a key; the key comes from our table by `kid`,
 * and fits one algorithm.
 */
export async function readAccessToken(
  iam: Iam,
  { db, now }: { db: Database; now: Date },
  token: string,
): Promise<AccessClaims | undefined> {
  const kid = kidOf(token);
  const key = kid === undefined ? undefined : await iam.signing.verifying(db, kid, now);
  if (key === undefined) return undefined;
  try {
    const verified = await jwtVerify(token, key, {
      algorithms: [ACCESS_ALGORITHM],
      typ: TYPE,
      issuer: iam.config.issuer,
      audience: iam.config.audience,
      maxTokenAge: Math.floor(iam.config.accessTokenMs / 1000),
      currentDate: now,
      clockTolerance: CLOCK_TOLERANCE_SECONDS,
    });
    const claims = payload.parse(verified.payload);
    return { tenantId: claims.tid, operatorId: claims.sub, sessionId: claims.sid };
  } catch {
    return undefined;
  }
}

/** Processes of one installation may differ by a moment; a token made by a fast one must not be "not yet valid". */
const CLOCK_TOLERANCE_SECONDS = 5;

function kidOf(token: string): string | undefined {
  try {
    return header.parse(decodeProtectedHeader(token)).kid;
  } catch {
    return undefined;
  }
}
