import type { TenantId } from '@ghasi/domain-primitives/ids';
import { newTenantId } from '@ghasi/testing/tenants';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type CacheAddress, cacheKey, cachePrefix, isUnder } from './cache-key.ts';
import { keyPart } from './key-text.ts';
import { assertKey } from './limits.ts';
import { tenantKey } from './tenant-key.ts';

// Ids as bad as they come: separators, our own escapes and marks, newlines, half surrogates, long ones.
const nasty = fc.oneof(
  fc.string({
    unit: fc.constantFrom(
      ':',
      '~',
      '=',
      '-',
      '.',
      's',
      't',
      '0',
      '3',
      'a',
      '\n',
      '*',
      '\ud800',
      '\udc00',
      'é',
    ),
  }),
  fc.string({
    unit: fc.integer({ min: 0, max: 0xffff }).map(unit => String.fromCharCode(unit)),
    maxLength: 90,
  }),
  fc.constantFrom('', '-', 's.', 'global', 't.a', '~003a', 'x'.repeat(64), 'x'.repeat(65)),
);
const address = fc.record({
  tenantId: nasty.filter(id => id !== '').map(id => id as TenantId),
  scope: fc.option(nasty, { nil: undefined }),
  parts: fc.array(nasty, { minLength: 1, maxLength: 3 }),
});

test('safety-29, TEN-11: keys of different tenants, scopes or parts never collide, whatever the ids contain', () => {
  fc.assert(
    fc.property(address, address, (one, two) => {
      const same =
        JSON.stringify([one.tenantId, one.scope ?? null, one.parts]) ===
        JSON.stringify([two.tenantId, two.scope ?? null, two.parts]);
      expect(cacheKey(one) === cacheKey(two)).toBe(same);
    }),
    { numRuns: 20_000 },
  );
});

test('safety-29: moving characters between neighbouring parts always changes the key', () => {
  fc.assert(
    fc.property(newTenant(), nasty, nasty, nasty, (tenantId, left, moved, right) => {
      fc.pre(moved !== '');
      const before = cacheKey({ tenantId, parts: [left + moved, right] });
      const after = cacheKey({ tenantId, parts: [left, moved + right] });
      expect(before).not.toBe(after);
      expect(cacheKey({ tenantId, parts: [left, right] })).not.toBe(
        cacheKey({ tenantId, scope: left, parts: [right] }),
      );
    }),
    { numRuns: 5_000 },
  );
});

test('every key is one that the store accepts, on one line, without pattern characters', () => {
  fc.assert(
    fc.property(address, wanted => {
      const key = cacheKey(wanted);
      assertKey(key);
      expect(key).toMatch(/^[A-Za-z0-9_.:=~-]+$/);
    }),
  );
});

test('a part can be read back from its text as long as it is short: nothing is lost', () => {
  fc.assert(
    fc.property(nasty, text => {
      const part = keyPart(text);
      const readBack = part.replaceAll(/~(....)/g, (_, hex: string) =>
        String.fromCharCode(Number.parseInt(hex, 16)),
      );
      if (part.startsWith('=')) expect(part).toHaveLength(44);
      else expect(readBack).toBe(text);
    }),
  );
});

test('a prefix covers exactly the keys that begin with its parts', () => {
  fc.assert(
    fc.property(address, address, fc.nat(2), (one, two, depth) => {
      const prefix = { ...one, parts: one.parts.slice(0, depth) };
      const covered = coveredBy(prefix, two);
      expect(isUnder(cacheKey(two), cachePrefix(prefix))).toBe(covered);
      expect(isUnder(cacheKey(one), cachePrefix(prefix))).toBe(true);
    }),
    { numRuns: 5_000 },
  );
});

test('keys stay readable and carry tenant and scope', () => {
  const tenantId = newTenantId();
  expect(cacheKey({ tenantId, scope: 'front_desk', parts: ['dash', 'pro_1'] })).toBe(
    `t.${tenantId}:s.front_desk:dash:pro_1`,
  );
  expect(cacheKey({ tenantId, parts: ['settings'] })).toBe(`t.${tenantId}:-:settings`);
  expect(cacheKey({ tenantId: 'global', parts: ['amenities', 'catalog'] })).toBe(
    'global:-:amenities:catalog',
  );
  expect(cachePrefix({ tenantId, parts: [] })).toBe(`t.${tenantId}`);
});

test('a key without parts, without tenant or longer than CACHE-01 allows is refused', () => {
  const tenantId = newTenantId();
  const refused: CacheAddress[] = [
    { tenantId, parts: [] },
    { tenantId: '' as TenantId, parts: ['a'] },
    { tenantId, parts: Array(20).fill('x'.repeat(60)) },
  ];
  for (const wanted of refused) expect(() => cacheKey(wanted)).toThrow('Not a key of the hot store');
});

test('TEN-10, TEN-29, X-098, X-105: state keys of two tenants cannot meet, and device ids need to be unique only per tenant', () => {
  fc.assert(
    fc.property(newTenant(), newTenant(), fc.array(nasty), fc.array(nasty), (a, b, left, right) => {
      expect(tenantKey('sse:bus', a, ...left) === tenantKey('sse:bus', b, ...right)).toBe(
        a === b && JSON.stringify(left) === JSON.stringify(right),
      );
    }),
  );
  const tenantId = newTenantId();
  expect(tenantKey('idempotency', tenantId, '01J8')).toBe(`idempotency:${tenantId}:01J8`);
  expect(() => tenantKey('Bad family', tenantId)).toThrow('family');
  expect(tenantKey('idem:stat', tenantId, '01J8')).toBe(`idem:stat:${tenantId}:01J8`);
  for (const family of [
    'tnt_session',
    'booking_draft',
    'tenant-bootstrap',
    'single-flight',
    'bff-tenant-flags',
  ]) {
    expect(tenantKey(family, tenantId, 'x')).toBe(`${family}:${tenantId}:x`); // TEN-29, X-139
  }
  expect(() => tenantKey('mfa', '' as TenantId)).toThrow('the tenant is empty');
});

function newTenant() {
  return fc.constant(undefined).map(() => newTenantId());
}

function coveredBy(prefix: CacheAddress, key: CacheAddress): boolean {
  if (prefix.tenantId !== key.tenantId) return false;
  if (prefix.parts.length === 0 && prefix.scope === undefined) return true;
  return prefix.scope === key.scope && prefix.parts.every((part, at) => part === key.parts[at]);
}
