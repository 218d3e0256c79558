import { PLATFORM_TENANT_ID, type TenantId } from '@ghasi/domain-primitives/ids';

/** How an envelope names the platform. */
export const PLATFORM = 'platform';

/** The owner of an event as its envelope says it (ENV-08). */
export type EnvelopeTenant = TenantId | typeof PLATFORM;

/** From storage to the envelope: the platform's reserved uuid becomes `platform`. */
export function envelopeTenant(tenantId: TenantId): EnvelopeTenant {
  return tenantId === PLATFORM_TENANT_ID ? PLATFORM : tenantId;
}

/** From the envelope to storage. */
export function storedTenant(tenantId: EnvelopeTenant): TenantId {
  return tenantId === PLATFORM ? PLATFORM_TENANT_ID : tenantId;
}
