/** The only values a tenant may have on a metric (OBS-14): a raw tenant id would make labels unbounded and traceable. */
export const tenantIdClasses = ['small', 'medium', 'large', 'platform'] as const;

/** Size class of a tenant. */
export type TenantIdClass = (typeof tenantIdClasses)[number];

/** Largest room count of a class; anything above `medium` is large. */
export type TenantClassLimits = { readonly small: number; readonly medium: number };

/** the default limits, in rooms. */
export const defaultTenantClassLimits: TenantClassLimits = { small: 20, medium: 100 };

/** The class of a tenant with this many rooms; `'platform'` instead of a count marks the platform's own tenant. */
export function tenantIdClass(
  rooms: number | 'platform',
  limits: TenantClassLimits = defaultTenantClassLimits,
): TenantIdClass {
  if (rooms === 'platform') return 'platform';
  if (!Number.isInteger(rooms) || rooms < 0)
    throw new RangeError(`A room count is a whole number from 0, not ${rooms}`);
  if (!(limits.small < limits.medium)) {
    throw new RangeError(`Class limits must rise: small ${limits.small}, medium ${limits.medium}`);
  }
  if (rooms <= limits.small) return 'small';
  return rooms <= limits.medium ? 'medium' : 'large';
}
