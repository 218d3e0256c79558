import { contractConformance, refusalOf } from '@melmastoon/catalog/contract-conformance';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { roles, suspensionReasons } from './contract.ts';
import {
  changeableSettings,
  events,
  RoleGranted,
  SettingsChanged,
  TenantCreated,
  TenantSuspended,
} from './events.ts';
import { samples } from './fixtures/samples.ts';
import { defaultSettings, effectiveMembership } from './model.ts';
import { service } from './service.ts';

const tenantId = '0190b6a4-7c1e-7d3a-9b1f-2f6c8f0a1b2c';

describe('EVT-07..10: the events of tenant-service', () => {
  contractConformance(events, samples);

  test('they are the four of the ledger, of the class warm', () => {
    expect(events.map(({ subject, retention }) => [subject, retention])).toEqual([
      ['melmastoon.tenant.tenant.created.v1', 'warm'],
      ['melmastoon.tenant.tenant.suspended.v1', 'warm'],
      ['melmastoon.tenant.role.granted.v1', 'warm'],
      ['melmastoon.tenant.settings.changed.v1', 'warm'],
    ]);
    expect(service.publishes).toBe(events);
  });
});

test('EVT-07, ENV-27: a tenant is created once, whatever its version', () => {
  expect(keyOf(TenantCreated, 1)).toBe(`${tenantId}:created`);
  expect(keyOf(TenantCreated, 2)).toBe(`${tenantId}:created`);
});

test('EVT-07: a tenant without a currency that exists is refused', () => {
  const settings = { ...defaultSettings, currency: 'AFA' };
  expect(refusalOf(TenantCreated, sampleOf(TenantCreated, { settings }))).toContain('settings.currency');
});

test('EVT-08, ENV-27: a tenant may be suspended again, and each time is another fact', () => {
  expect(keyOf(TenantSuspended, 2)).toBe(`${tenantId}:suspended:2`);
  expect(keyOf(TenantSuspended, 4)).toBe(`${tenantId}:suspended:4`);
});

test.each(suspensionReasons)('EVT-08: for %s the event says of the staff what the rules say', reason => {
  const facts = { roles: ['owner' as const], status: 'active' as const, propertyIds: 'all' as const };
  const left = effectiveMembership(facts, { status: 'suspended', suspensionReason: reason });
  const staffLockedOut = left?.status !== 'active';
  expect(refusalOf(TenantSuspended, { tenantId, reason, staffLockedOut })).toBeUndefined();
  expect(refusalOf(TenantSuspended, { tenantId, reason, staffLockedOut: !staffLockedOut })).toContain(
    'compliance only',
  );
});

test('EVT-09: whatever is granted is among the roles the membership then has', () => {
  const some = fc.uniqueArray(fc.constantFrom(...roles), { minLength: 1 });
  fc.assert(
    fc.property(some, some, (granted, held) => {
      const isPart = granted.every(role => held.includes(role));
      const refusal = refusalOf(RoleGranted, sampleOf(RoleGranted, { granted, roles: held }));
      expect(refusal === undefined).toBe(isPart);
    }),
  );
});

test('EVT-10: every setting can be named as changed, and nothing else', () => {
  expect([...changeableSettings].sort()).toEqual([...Object.keys(defaultSettings), 'name'].sort());
  expect(refusalOf(SettingsChanged, sampleOf(SettingsChanged, { changed: ['region'] }))).toContain('changed');
  expect(refusalOf(SettingsChanged, sampleOf(SettingsChanged, { changed: [] }))).toContain('changed');
});

function sampleOf({ subject }: { subject: string }, change: object = {}) {
  return { ...samples[subject], ...change };
}

function keyOf(event: (typeof events)[number], aggregateVersion: number): string {
  return event.from(sampleOf(event) as never, { aggregateVersion }).idempotencyKey;
}
