import { parseTenantId, type TenantId } from '@ghasi/domain-primitives/ids';
import { uuid7 } from '@ghasi/domain-primitives/uuid';

/** A tenant no other test knows. */
export function newTenantId(): TenantId {
  return parseTenantId(uuid7());
}

/** Who acts in a test that does not care. */
export const testActor = { type: 'system', id: 'test' } as const;
