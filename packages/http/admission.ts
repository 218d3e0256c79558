import { coreErrors } from '@ghasi/domain-primitives/errors';
import type { TenantId } from '@ghasi/domain-primitives/ids';
import { addressUnit } from './address.ts';
import { httpErrors } from './errors.ts';
import type { Authenticate, Principal, RequestFacts, ResolveTenant } from './principal.ts';
import type { Charge, HostQuotas, RateLimits } from './rate-limits.ts';
import type { AnyRoute } from './route.ts';

/** What the door needs to decide. */
export type Door = {
  authenticate: Authenticate;
  resolveTenant: ResolveTenant;
  limits: RateLimits;
  quotas: HostQuotas;
};

/** Who came in, and for which tenant. Open routes may have neither. */
export type Admission = { principal: Principal | undefined; tenantId: TenantId | undefined };

/**
 * Lets a request in or not: who is it, which tenant, within the limits, with the right role. Runs before the body is
 * parsed and before any idempotency key is looked at, so that a revoked user's replay gets 401 and not the stored body.
 */
export async function admit(
  door: Door,
  service: string,
  route: AnyRoute,
  facts: RequestFacts,
): Promise<Admission> {
  const principal = await identify(door, service, route, facts);
  const tenantId = await tenantOf(door, route, facts, principal);
  await door.limits.charge(service, charges(door.quotas, route, facts, { principal, tenantId }));
  if (principal) authorise(route, principal);
  return { principal, tenantId };
}

async function identify(door: Door, service: string, route: AnyRoute, facts: RequestFacts) {
  const { kind } = route.auth;
  if (kind === 'open') return undefined;
  try {
    const principal = await door.authenticate[kind](facts);
    // An authenticator that mixes up kinds must not open a door.
    if (principal.kind !== kind) throw coreErrors.UNAUTHENTICATED();
    return principal;
  } catch (error) {
    if (coreErrors.UNAUTHENTICATED.is(error)) {
      const key = [addressUnit(facts.address)];
      const whenDown = 'local'; // it only turns a 401 into a 429; the door stays closed either way
      await door.limits.charge(service, [
        { name: 'failed-auth', key, quota: door.quotas.failedAuth, whenDown },
      ]);
    }
    throw error;
  }
}

async function tenantOf(door: Door, route: AnyRoute, facts: RequestFacts, principal: Principal | undefined) {
  const { slug } = facts;
  if (principal && slug === undefined) return principal.tenantId;
  const found = await door.resolveTenant({ host: facts.host, ...(slug === undefined ? {} : { slug }) });
  if (principal) {
    // Another tenant's slug and one that does not exist look the same.
    if (found?.tenantId !== principal.tenantId) throw coreErrors.NOT_FOUND({ entity: 'Tenant' });
    return principal.tenantId;
  }
  if (found === undefined) {
    const needsTenant = slug !== undefined || (route.transaction ?? 'whole') !== 'none';
    if (needsTenant) throw coreErrors.NOT_FOUND({ entity: 'Tenant' });
    return undefined;
  }
  if (found.status !== 'active') throw httpErrors.TENANT_NOT_ACTIVE();
  return found.tenantId;
}

function charges(quotas: HostQuotas, route: AnyRoute, facts: RequestFacts, who: Admission): Charge[] {
  const keys = {
    tenant: who.tenantId && [who.tenantId],
    principal: who.principal && [who.principal.tenantId, who.principal.kind, who.principal.id],
    address: [addressUnit(facts.address)],
  };
  const found: Charge[] = [];
  const whenDown = route.rateLimit?.whenDown ?? 'local';
  const unit = keys.principal ? 'principal' : 'address';
  found.push({ name: unit, key: keys[unit] ?? keys.address, quota: quotas[unit], whenDown });
  if (route.rateLimit) {
    const { per } = route.rateLimit;
    const key = [per, ...(keys[per] ?? keys.address)];
    found.push({ name: `${route.method} ${route.path}`, key, quota: route.rateLimit, whenDown });
  }
  if (keys.tenant) found.push({ name: 'tenant', key: keys.tenant, quota: quotas.tenant, whenDown });
  return found;
}

function authorise({ auth }: AnyRoute, principal: Principal): void {
  if ('roles' in auth && auth.roles.length > 0 && !auth.roles.some(role => principal.roles.includes(role))) {
    throw coreErrors.FORBIDDEN();
  }
  if (auth.kind === 'operator' && auth.stepUp && principal.attestation?.action !== auth.stepUp) {
    throw httpErrors.STEP_UP_REQUIRED({ action: auth.stepUp });
  }
}
