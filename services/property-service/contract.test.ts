import { contractConformance, refusalOf } from '@melmastoon/catalog/contract-conformance';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  AmenityChanged,
  BusinessDateAdvanced,
  events,
  PropertyCreated,
  RoomAdded,
  RoomArchived,
  RoomTypePublished,
  TelemetryBatchIngested,
} from './contract.ts';
import { samples } from './fixtures/samples.ts';
import { service } from './service.ts';

const version = fc.integer({ min: 1, max: 1_000_000 });

describe('EVT-11..15, EVT-90: the events of property-service', () => {
  contractConformance(events, samples);

  test('they are the six of the ledger and the one of day close, all warm', () => {
    expect(events.map(({ subject, retention }) => [subject, retention])).toEqual([
      ['melmastoon.property.property.created.v1', 'warm'],
      ['melmastoon.property.room.added.v1', 'warm'],
      ['melmastoon.property.room.archived.v1', 'warm'],
      ['melmastoon.property.room_type.published.v1', 'warm'],
      ['melmastoon.property.amenity.changed.v1', 'warm'],
      ['melmastoon.property.telemetry_batch.ingested.v1', 'warm'],
      ['melmastoon.property.business_date.advanced.v1', 'warm'],
    ]);
    expect(service.publishes).toBe(events);
  });
});

test('EVT-11, EVT-12, EVT-13: a house opens once; a room joins once and leaves once', () => {
  for (const event of [PropertyCreated, RoomAdded, RoomArchived])
    expect(keyOf(event, {}, 1)).toBe(keyOf(event, {}, 5));
});

test.each([
  ['zone', 'Afghanistan'],
  ['zone', '+04:30'],
  ['currency', 'AFA'],
  ['country', 'Afghanistan'],
  ['checkInFrom', '24:00'],
  ['businessDate', '2026-02-30'],
  ['name', [{ locale: 'fr', text: 'Maison' }]],
])('EVT-11, R3: a property with %s %o is refused', (field, value) => {
  expect(refusalOf(PropertyCreated, sampleOf(PropertyCreated, { [field]: value }))).toContain(field);
});

test('EVT-14: a spec is published once per version and holds at least its adults', () => {
  fc.assert(
    fc.property(version, version, (one, other) => {
      const keys = [one, other].map(specVersion => keyOf(RoomTypePublished, { specVersion }, 1));
      expect(keys[0] === keys[1]).toBe(one === other);
    }),
  );
  const crowded = sampleOf(RoomTypePublished, { maxAdults: 5 });
  expect(refusalOf(RoomTypePublished, crowded)).toContain('more adults than guests');
});

test('EVT-15: what was added is in the list, what was removed is not, and something was', () => {
  const codes = ['free_wifi', 'generator', 'prayer_room', 'solar_power', 'parking'];
  fc.assert(
    fc.property(fc.subarray(codes), fc.subarray(codes), (before, amenities) => {
      const added = amenities.filter(code => !before.includes(code));
      const removed = before.filter(code => !amenities.includes(code));
      const isChange = added.length + removed.length > 0;
      const right = sampleOf(AmenityChanged, { amenities, added, removed });
      const swapped = sampleOf(AmenityChanged, { amenities, added: removed, removed: added });
      expect(refusalOf(AmenityChanged, right) === undefined).toBe(isChange);
      expect(refusalOf(AmenityChanged, swapped)).toContain('do not lead to the list');
    }),
  );
});

test('EVT-15: each version of a property has its own key', () => {
  fc.assert(
    fc.property(version, version, (one, other) => {
      expect(keyOf(AmenityChanged, {}, one) === keyOf(AmenityChanged, {}, other)).toBe(one === other);
    }),
  );
});

test('EVT-90, X-153: a watermark of a room is announced once, whatever the batch is called', () => {
  fc.assert(
    fc.property(version, version, (one, other) => {
      const first = keyOf(TelemetryBatchIngested, { watermark: one }, 1);
      const telemetryBatchId = 'tlb_01J8ZQ4T3Y5V6W7X8Y9Z0A1B99';
      const second = keyOf(TelemetryBatchIngested, { watermark: other, telemetryBatchId }, 1);
      expect(first === second).toBe(one === other);
    }),
  );
});

test('EVT-90: a batch that measures nothing on no day is refused', () => {
  for (const field of ['metrics', 'dates']) {
    const payload = sampleOf(TelemetryBatchIngested, { [field]: [] });
    expect(refusalOf(TelemetryBatchIngested, payload)).toContain(field);
  }
});

test('R2: a hotel day is closed once, whatever the version, and the next day follows it', () => {
  expect(keyOf(BusinessDateAdvanced, {}, 1)).toBe(keyOf(BusinessDateAdvanced, {}, 9));
  const turns = [
    ['2026-02-28', '2026-03-01'],
    ['2028-02-28', '2028-02-29'],
    ['2026-12-31', '2027-01-01'],
  ];
  for (const [closedDate, businessDate] of turns) {
    const right = sampleOf(BusinessDateAdvanced, { closedDate, businessDate });
    expect(refusalOf(BusinessDateAdvanced, right)).toBeUndefined();
    const stuck = sampleOf(BusinessDateAdvanced, { closedDate, businessDate: closedDate });
    expect(refusalOf(BusinessDateAdvanced, stuck)).toContain('the day after');
  }
});

test('R2: a day close resolves a matter once', () => {
  const [one] = sampleOf(BusinessDateAdvanced).resolved as object[];
  const twice = sampleOf(BusinessDateAdvanced, { resolved: [one, one] });
  expect(refusalOf(BusinessDateAdvanced, twice)).toContain('resolves a matter twice');
});

function sampleOf({ subject }: { subject: string }, change: object = {}): Record<string, unknown> {
  return { ...samples[subject], ...change };
}

function keyOf(event: (typeof events)[number], change: object, aggregateVersion: number): string {
  return event.from(sampleOf(event, change) as never, { aggregateVersion }).idempotencyKey;
}
