import type { TenantId } from '@ghasi/domain-primitives/ids';
import { hotErrors } from './errors.ts';
import { keyPart } from './key-text.ts';

/**
 * A key of the state tier or a channel of the bus that two tenants cannot share (TEN-10, X-098), for example
 * `tenantKey('idempotency', tenantId, key)` or `tenantKey('sse:bus', tenantId, deviceId, 'channel', name)`.
 * `'global'` is for what belongs to no tenant. `family` is a constant of the code, never text from outside.
 */
export function tenantKey(family: string, tenantId: TenantId | 'global', ...parts: string[]): string {
  if (!/^[a-z][a-z0-9_:-]*$/.test(family)) throw hotErrors.MALFORMED_KEY({ reason: `family "${family}"` });
  if ((tenantId as string) === '') throw hotErrors.MALFORMED_KEY({ reason: 'the tenant is empty' });
  return [family, ...[tenantId, ...parts].map(keyPart)].join(':');
}
