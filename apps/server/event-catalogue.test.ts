import { readFileSync } from 'node:fs';
import { crossTenantPolicy, crossTenantProblems } from '@ghasi/backbone/cross-tenant-policy';
import type { EventType } from '@ghasi/event-envelope/define-event';
import { schemaPath } from '@ghasi/event-envelope/schema-uri';
import { catalogue } from '@melmastoon/catalog/catalogue';
import { crossTenantPaths } from '@melmastoon/catalog/cross-tenant-paths';
import { silentMembers } from '@melmastoon/catalog/silent-members';
import { describe, expect, test } from 'vitest';
import { addedRows, catalogRows } from './fixtures/catalog-rows.ts';
import { allServices, platformRegistry } from './services.ts';

const services = allServices({
  secret: 'only-described-never-used-for-anything',
  publicUrl: 'http://localhost',
  ask: () => Promise.reject(new Error('nobody is asked here')),
});
const registry = platformRegistry(services);
const events: readonly EventType[] = registry.events;

describe('the catalogue', () => {
  test('EVT-01..82, CAT-09, X-001: every subject of the catalogue, with its owner and retention class', () => {
    expect(declared().slice(0, 82)).toEqual(expected().slice(0, 82));
  });

  test('EVT-83..90, X-007, X-008: the subjects of the merged build', () => {
    expect(declared().slice(82)).toEqual(expected().slice(82));
  });

  test('CAT-08, CAT-09: nobody publishes a subject that the catalogue does not have', () => {
    expect(events.map(({ subject }) => subject).sort()).toEqual(
      [...catalogRows.map(([, subject]) => subject), ...addedRows.map(([subject]) => subject)].sort(),
    );
  });

  test('CAT-08: what was added since has an owner, a class and a reason', () => {
    for (const [subject, owner, retention, reason] of addedRows) {
      expect(events.find(event => event.subject === subject)).toMatchObject({ owner, retention });
      expect(reason).not.toBe('');
    }
  });

  test('CAT-12..33, X-006: all 24 services exist, in the directories of the token table', () => {
    expect(services.map(({ name }) => name).sort()).toEqual(Object.values(catalogue.services).sort());
  });

  test('CAT-09: as many subjects per owner as the ledger counts', () => {
    const counts = Object.fromEntries(services.map(({ name, publishes }) => [name, publishes.length]));
    // the ledger's counts of section 3.3, and what section 3.4 adds to them
    expect(counts).toEqual({
      'reservation-service': 11,
      'iam-service': 6,
      'inventory-service': 6,
      'billing-service': 6,
      'lock-integration-service': 6,
      'property-service': 5 + 1 + 1, // the last one of addedRows
      'pricing-service': 5,
      'payment-gateway-service': 5,
      'ai-orchestrator-service': 5,
      'tenant-service': 4,
      'housekeeping-service': 4 + 3,
      'theme-config-service': 3,
      'notification-service': 3,
      'maintenance-service': 2,
      'search-aggregation-service': 2,
      'file-storage-service': 2,
      'audit-service': 2,
      'sync-service': 2,
      'staff-service': 2,
      'reporting-service': 1,
      'analytics-service': 1,
      'bff-tenant-booking-service': 3,
      'bff-backoffice-service': 1,
      'bff-consumer-service': 0,
    });
  });

  test.each([
    ['CAT-34', ['tenant.tenant.created', 'tenant.tenant.suspended']],
    ['CAT-35', ['tenant.settings.changed']],
    ['CAT-37', ['iam.user.created', 'iam.session.issued']],
    ['CAT-38', ['property.property.created', 'property.amenity.changed', 'property.room_type.published']],
    ['CAT-39', ['property.room.added']],
    [
      'CAT-40',
      ['reservation.booking.held', 'reservation.booking.confirmed', 'reservation.booking.cancelled'],
    ],
    [
      'CAT-41',
      ['reservation.booking.held', 'inventory.allocation.released', 'inventory.allocation.committed'],
    ],
    ['CAT-42', ['inventory.stop_sell.activated', 'inventory.stop_sell.cleared']],
    ['CAT-43', ['pricing.rate_plan.published', 'pricing.calendar.updated']],
    ['CAT-44', ['pricing.quote.expired']],
    ['CAT-45', ['payment.intent.created', 'payment.intent.captured', 'payment.intent.failed']],
    [
      'CAT-48',
      ['housekeeping.consumption.created', 'housekeeping.purchase.created', 'housekeeping.purchase.finished'],
    ],
  ])(
    'CAT-34..35, CAT-37..45, CAT-48, X-015: %s, old names live on under names of the grammar',
    (_id, names) => {
      for (const name of names) expect(registry.at(`melmastoon.${name}`, 1), name).toBeDefined();
    },
  );

  /** What the code says of each row of the ledger, in the ledger's order. */
  function declared() {
    return catalogRows.map(([id, subject]) => {
      const event = registry.find(subject);
      return [id, subject, event?.owner, event?.retention];
    });
  }

  function expected() {
    return catalogRows.map(row => [...row]);
  }
});

describe.each(events)('CAT-10: $subject', event => {
  test('CAT-01..07: its grammar and its owner are those of the catalogue', () => {
    const parts = catalogue.parseSubject(event.subject);
    expect(event).toMatchObject(parts);
    expect(services.find(({ name }) => name === event.owner)?.publishes).toContain(event);
  });

  test('REG-01: its schema file is there and says something of every member', () => {
    const file = readFileSync(new URL(`../../${schemaPath(event)}`, import.meta.url), 'utf8');
    expect(silentMembers(JSON.parse(file))).toEqual([]);
  });
});

describe('policies', () => {
  test('RET-01..03: the classes of the ledger’s families', () => {
    const classOf = (tokens: readonly string[]) =>
      new Set(events.filter(({ service }) => tokens.includes(service)).map(({ retention }) => retention));
    expect(classOf(['reservation', 'inventory', 'pricing', 'housekeeping', 'theme'])).toEqual(
      new Set(['warm']),
    );
    expect(classOf(['billing', 'payment', 'lock_integration', 'audit', 'ai_orchestrator'])).toEqual(
      new Set(['cold']),
    );
  });

  test('XT-01..03, XT-06, X-084, MIG-15: exactly the events of the table cross tenants', () => {
    const crossing = events.filter(({ crossTenant }) => crossTenant).map(({ subject }) => subject);
    expect(crossing.sort()).toEqual([
      'melmastoon.analytics.snapshot.computed.v1',
      'melmastoon.search_aggregation.listing.evicted.v1',
      'melmastoon.search_aggregation.listing.indexed.v1',
    ]);
    expect(crossTenantProblems(services, crossTenantPolicy(crossTenantPaths))).toEqual([]);
    for (const event of events) expect(registry.crossTenantProblem(event)).toBeUndefined();
  });

  test('XT-04: an event that crosses tenants still names its own', () => {
    for (const event of events.filter(({ crossTenant }) => crossTenant)) expect(event.platform).toBe(false);
  });

  test('X-027, XT-08: every subject on the platform list is published', () => {
    const platform = events.filter(event => event.platform).map(({ subject }) => subject);
    expect(platform.sort()).toEqual(Object.keys(catalogue.platformSubjects).sort());
  });

  test('GEN-18, ENV-23, ANTI-07: exactly the five events of ai_orchestrator must name their model', () => {
    const needing = events.filter(event => event.aiProvenance);
    expect(new Set(needing.map(({ service }) => service))).toEqual(new Set(['ai_orchestrator']));
    expect(needing).toHaveLength(5);
  });

  test('REG-04, X-080: the platform knows its released schemas, and no other', () => {
    for (const event of events) {
      const known = {
        eventType: event.type,
        eventVersion: event.version,
        schemaUri: registry.schemaUri(event.subject) ?? '',
      };
      expect(registry.drift(known)).toBeUndefined();
      const unknown = { ...known, schemaUri: known.schemaUri.replace(/[0-9a-f]{64}$/, '0'.repeat(64)) };
      expect(registry.drift(unknown)).toContain('schema drift');
    }
  });
});
