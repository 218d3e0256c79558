import { coreErrors } from '@ghasi/domain-primitives/errors';
import { isId, type TenantId } from '@ghasi/domain-primitives/ids';
import type { Principal } from '@ghasi/http/principal';
import { operator, type ReplyCookie, type RouteRequest } from '@ghasi/http/route';
import { z } from 'zod';
import { signAccessToken } from '../access-token.ts';
import type { Me } from '../commands/sessions.ts';
import type { Caller } from '../commands/sign-in.ts';
import { DEVICE_PROOF_HEADER } from '../device-proof.ts';
import type { Bare } from '../iam.ts';
import { hashAddress, type Iam } from '../iam.ts';
import { PASSWORD_MAX } from '../password-rules.ts';
import type { OpenedSession } from '../queries/sessions.ts';

/** Every signed-in operator of the tenant, whatever his role. */
export const anyOperator = operator([]);

/** Those who manage accounts and devices. */
export const managers = operator(['owner', 'manager', 'platform_admin']);

/** Routes that check a secret close when the shared counter is away (safety rule 36). */
export const guarded = (limit: number) =>
  ({ limit, windowMs: 60_000, per: 'address', whenStoreDown: 'refuse' }) as const;

export const email = z.email().max(254);
export const password = z
  .string()
  .min(1)
  .max(PASSWORD_MAX * 4);
export const instant = z.iso.datetime();

/** `cookie` for browsers: a script on the page never sees the refresh token. `body` for programs. */
export const delivery = z.enum(['body', 'cookie']).default('body');
export type Delivery = z.output<typeof delivery>;

/** Only over HTTPS, only this host, not for scripts (safety rule 51). */
export const REFRESH_COOKIE = '__Host-melm-refresh';

/** What a client gets when a session begins or goes on. */
export const sessionBody = z.strictObject({
  kind: z.literal('session'),
  accessToken: z.string(),
  accessTokenExpiresAt: instant,
  /** Missing when it was delivered as a cookie. */
  refreshToken: z.string().optional(),
  sessionId: z.string(),
  /** The session ends here, and earlier when it is not refreshed for 30 minutes. */
  sessionExpiresAt: instant,
});

/** The session as a reply: a fresh access token, and the refresh token where the client wants it. */
export async function sessionReply(
  iam: Iam,
  bare: Bare,
  { opened, delivery: where }: { opened: OpenedSession; delivery: Delivery },
): Promise<{ body: z.input<typeof sessionBody>; cookies: ReplyCookie[] }> {
  const { session, refresh } = opened;
  const claims = { tenantId: bare.tenantId, operatorId: session.operator_id, sessionId: session.id };
  const access = await signAccessToken(iam, bare, claims);
  const maxAgeSeconds = Math.floor((session.expires_at.getTime() - bare.now.getTime()) / 1000);
  return {
    body: {
      kind: 'session',
      accessToken: access.token,
      accessTokenExpiresAt: access.expiresAt.toISOString(),
      ...(where === 'body' ? { refreshToken: refresh.text } : {}),
      sessionId: session.id,
      sessionExpiresAt: session.expires_at.toISOString(),
    },
    cookies: where === 'cookie' ? [refreshCookie(refresh.text, maxAgeSeconds)] : [],
  };
}

/** The cookie with a refresh token; empty and expired to remove it. */
export function refreshCookie(value: string, maxAgeSeconds: number): ReplyCookie {
  return { name: REFRESH_COOKIE, value, maxAgeSeconds, sameSite: 'strict' };
}

/** How this client keeps its refresh token, as its cookies tell. */
export function deliveryOf(request: RouteRequest): Delivery {
  return request.cookies[REFRESH_COOKIE] ? 'cookie' : 'body';
}

/** Who is signed in. */
export function meOf(principal: Principal): Me {
  const { id, sessionId, roles, amr } = principal;
  if (!isId('usr', id) || !isId('ses', sessionId)) throw coreErrors.UNAUTHENTICATED();
  return { operatorId: id, sessionId, roles, proven: amr.includes('pop') };
}

/** Where the request comes from, and what a device may have signed. */
export async function callerOf(iam: Iam, request: RouteRequest): Promise<Caller> {
  const proof = request.headers[DEVICE_PROOF_HEADER];
  return {
    addressHash: hashAddress(iam, request.address),
    signed: {
      proof: typeof proof === 'string' ? proof : undefined,
      method: request.method,
      target: request.target,
      bodyHash: await request.bodySha256(),
    },
  };
}

/** A request to an open route as a use case sees it; NOT_FOUND unless host or slug name a tenant. */
export function ofTenant<C extends { tenantId: TenantId | undefined }>(ctx: C): C & { tenantId: TenantId } {
  const { tenantId } = ctx;
  if (tenantId === undefined) throw coreErrors.NOT_FOUND({ entity: 'Tenant' });
  return { ...ctx, tenantId };
}

/** The answer while somebody must wait. */
export function blocked(until: Date, now: Date) {
  return coreErrors.RATE_LIMITED({
    retryAfterSeconds: Math.max(1, Math.ceil((until.getTime() - now.getTime()) / 1000)),
  });
}
