import { PLATFORM_TENANT_ID } from '@ghasi/domain-primitives/ids';
import { type TenantIdClass, tenantIdClasses } from '@ghasi/telemetry/tenant-class';

/** How large a tenant is. Asked once per tenant and hour, never per event. */
export type TenantClassOf = (tenantId: string) => TenantIdClass | Promise<TenantIdClass>;

const KEEP_MS = 3_600_000;
const KEEP_FAILED_MS = 60_000;
const MOST = 10_000;

type Known = { readonly value: TenantIdClass | Promise<TenantIdClass>; readonly until: number };

/**
 * Remembers the classes of tenants: an hour, the last 10,000 that were asked for. A tenant whose class cannot be found
 * out counts as small for a minute, because a label is no reason to lose a count. The platform needs no question.
 */
export function rememberTenantClass(
  ask: TenantClassOf = () => 'small',
  now: () => number = Date.now,
): TenantClassOf {
  const known = new Map<string, Known>();

  const remember = (tenantId: string, value: Known['value'], keepMs: number) => {
    known.delete(tenantId); // to the end: the first of the map is the one remembered longest ago
    known.set(tenantId, { value, until: now() + keepMs });
    for (const oldest of known.keys()) {
      if (known.size <= MOST) break;
      known.delete(oldest);
    }
    return value;
  };

  const failed = (tenantId: string): TenantIdClass => {
    remember(tenantId, 'small', KEEP_FAILED_MS);
    return 'small';
  };

  return tenantId => {
    if (tenantId === PLATFORM_TENANT_ID) return 'platform';
    const found = known.get(tenantId);
    if (found !== undefined && found.until > now()) return found.value;
    try {
      const asked = ask(tenantId);
      if (typeof asked === 'string')
        return isClass(asked) ? remember(tenantId, asked, KEEP_MS) : failed(tenantId);
      const answered = asked.then(
        value => {
          if (!isClass(value)) return failed(tenantId);
          remember(tenantId, value, KEEP_MS);
          return value;
        },
        () => failed(tenantId),
      );
      return remember(tenantId, answered, KEEP_MS); // whoever asks meanwhile waits for the same answer
    } catch {
      return failed(tenantId);
    }
  };
}

/** The answer is a deployment's, out of a table perhaps; to count anything else throws, and nobody would catch it. */
const isClass = (answer: unknown): answer is TenantIdClass =>
  (tenantIdClasses as readonly unknown[]).includes(answer);
