import { coreErrors } from '@ghasi/domain-primitives/errors';
import { type Id, newId, type TenantId } from '@ghasi/domain-primitives/ids';
import { httpErrors } from '@ghasi/http/errors';
import type { Authenticate, Principal, RequestFacts, ResolveTenant } from '@ghasi/http/principal';
import type { ReplyCookie } from '@ghasi/http/route';
import type { Booking } from './runtime.ts';
import { SESSION_COOKIE } from './session-cookie.ts';

/** Who holds a guest session: whoever's cookie we signed for this tenant. Nothing is looked up for it. */
export function guestAuthenticator(booking: Booking, resolveTenant: ResolveTenant): Authenticate['guest'] {
  return async facts => {
    const { host, slug } = facts;
    const tenant = await resolveTenant({ host, ...(slug === undefined ? {} : { slug }) });
    if (tenant === undefined) throw coreErrors.NOT_FOUND({ entity: 'Tenant' });
    if (tenant.status !== 'active') throw httpErrors.TENANT_NOT_ACTIVE();
    const { tenantId } = tenant;
    const named = booking.cookies.read(tenantId, facts.cookies[SESSION_COOKIE], new Date());
    if (named === undefined) throw coreErrors.UNAUTHENTICATED();
    const { sessionId } = named;
    return { kind: 'guest', id: sessionId, tenantId, roles: [], sessionId, amr: [] };
  };
}

/** The session of an authenticated guest. */
export function sessionIdOf({ sessionId }: Principal): Id<'tnt'> {
  return sessionId as Id<'tnt'>;
}

/** A visitor of a page that anybody may see. */
export type Visit = { tenantId: TenantId; sessionId: Id<'tnt'>; isNew: boolean; cookies: ReplyCookie[] };

/** The visitor's session, a new one when he has none that is ours; its cookie slides once a day. */
export function visitOf(
  { cookies }: Pick<Booking, 'cookies'>,
  { tenantId, now }: { tenantId: TenantId | undefined; now: Date },
  facts: Pick<RequestFacts, 'cookies'>,
): Visit {
  if (tenantId === undefined) throw coreErrors.NOT_FOUND({ entity: 'Tenant' });
  const named = cookies.read(tenantId, facts.cookies[SESSION_COOKIE], now);
  const sessionId = named?.sessionId ?? newId('tnt', now.getTime());
  const isFresh = named !== undefined && !named.isOld;
  return {
    ...{ tenantId, sessionId, isNew: named === undefined },
    cookies: isFresh ? [] : [cookies.issue(tenantId, sessionId, now)],
  };
}
