import { parseTenantId, type TenantId } from '@ghasi/domain-primitives/ids';
import { hotErrors } from './errors.ts';
import { keyPart } from './key-text.ts';

declare const cacheKeyBrand: unique symbol;

/** A key that only `cacheKey` makes: it names the tenant (or says `global`), the principal scope and the parts. */
export type CacheKey = string & { readonly [cacheKeyBrand]: true };

/**
 * Whose data it is and which. `scope` is the part of the principal that changes the content (a role, an operator id);
 * leave it out only when everyone in the tenant may see the same bytes. `'global'` is for data without a tenant.
 */
export type CacheAddress = {
  tenantId: TenantId | 'global';
  scope?: string | undefined;
  parts: readonly string[];
};

/** The ledger's limit for a key is 512 (CACHE-01); a cache's name before it has 40 at most, and a colon. */
const MAX_KEY = 471;

/**
 * The key of one cached value. Distinct addresses give distinct keys, whatever the ids contain (safety 29); the cache
 * puts its own name and schema version in front.
 */
export function cacheKey(address: CacheAddress): CacheKey {
  if (address.parts.length === 0)
    throw hotErrors.MALFORMED_KEY({ reason: 'a cache key needs at least one part' });
  return cachePrefix(address);
}

/**
 * What `invalidatePrefix` takes: everything of the owner whose first parts are these. No scope and no parts means
 * everything of that tenant, in all scopes.
 */
export function cachePrefix({ tenantId, scope, parts }: CacheAddress): CacheKey {
  const tenant = tenantText(tenantId);
  if (scope === undefined && parts.length === 0) return tenant as CacheKey;
  const key = [tenant, scope === undefined ? '-' : `s.${keyPart(scope)}`, ...parts.map(keyPart)].join(':');
  if (key.length <= MAX_KEY) return key as CacheKey;
  throw hotErrors.MALFORMED_KEY({ reason: `${key.length} characters are more than ${MAX_KEY}` });
}

/** True when `key` is the prefix itself or lies below it; a prefix ends only between two parts. */
export function isUnder(key: string, prefix: string): boolean {
  return key === prefix || key.startsWith(`${prefix}:`);
}

/** Whose value a key is about. */
export function tenantOfKey(key: CacheKey): TenantId | 'global' {
  const [owner = ''] = key.split(':', 1);
  return owner === 'global' ? 'global' : parseTenantId(owner.slice('t.'.length));
}

function tenantText(tenantId: string): string {
  if (tenantId === '') throw hotErrors.MALFORMED_KEY({ reason: 'the tenant is empty' });
  return tenantId === 'global' ? 'global' : `t.${keyPart(tenantId)}`;
}
