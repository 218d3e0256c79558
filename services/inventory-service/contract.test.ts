import { contractConformance, refusalOf } from '@melmastoon/catalog/contract-conformance';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  AllocationCommitted,
  AllocationReallocated,
  AllocationReleased,
  events,
  OversellBlocked,
  StopSellActivated,
  StopSellCleared,
} from './contract.ts';
import { samples } from './fixtures/samples.ts';
import { service } from './service.ts';

const version = fc.integer({ min: 1, max: 1_000_000 });

describe('EVT-29..34: the events of inventory-service', () => {
  contractConformance(events, samples);

  test('they are the six of the ledger, all warm', () => {
    expect(events.map(({ subject, retention }) => [subject, retention])).toEqual([
      ['melmastoon.inventory.allocation.committed.v1', 'warm'],
      ['melmastoon.inventory.allocation.released.v1', 'warm'],
      ['melmastoon.inventory.allocation.reallocated.v1', 'warm'],
      ['melmastoon.inventory.stop_sell.activated.v1', 'warm'],
      ['melmastoon.inventory.stop_sell.cleared.v1', 'warm'],
      ['melmastoon.inventory.oversell.blocked.v1', 'warm'],
    ]);
    expect(service.publishes).toBe(events);
  });
});

test('ORD-06: four at a time on up to ten instances, in order', () => {
  expect(service.delivery).toEqual({ mode: 'push', instances: 10, concurrency: 4, order: 'required' });
});

test.each([AllocationCommitted, AllocationReallocated, OversellBlocked])(
  'EVT-29, EVT-31, EVT-34: $subject answers a version of a booking once, under whichever allocation',
  event => {
    fc.assert(
      fc.property(version, version, version, (one, other, aggregateVersion) => {
        const allocationId = 'alc_01J8ZQ4T3Y5V6W7X8Y9Z0A1B99';
        const first = keyOf(event, { reservationVersion: one }, aggregateVersion);
        const second = keyOf(event, { reservationVersion: other, allocationId }, aggregateVersion + 1);
        expect(first === second).toBe(one === other);
      }),
    );
  },
);

test.each([AllocationReleased, StopSellActivated, StopSellCleared])(
  'EVT-30, EVT-32, EVT-33: $subject can happen again, with the next version',
  event => {
    fc.assert(
      fc.property(version, version, (one, other) => {
        expect(keyOf(event, {}, one) === keyOf(event, {}, other)).toBe(one === other);
      }),
    );
  },
);

test('EVT-29, EVT-30: a room without a night is refused', () => {
  for (const event of [AllocationCommitted, AllocationReleased]) {
    const [room] = sampleOf(event).rooms as [object];
    const stay = { arrival: '2026-03-24', departure: '2026-03-21' };
    expect(refusalOf(event, sampleOf(event, { rooms: [{ ...room, stay }] }))).toContain('rooms.0.stay');
  }
});

test('EVT-29: a night is counted once per room type, and never below zero', () => {
  const [night] = sampleOf(AllocationCommitted).nights as [object];
  const twice = sampleOf(AllocationCommitted, { nights: [night, night] });
  const oversold = sampleOf(AllocationCommitted, { nights: [{ ...night, available: -1 }] });
  expect(refusalOf(AllocationCommitted, twice)).toContain('twice');
  expect(refusalOf(AllocationCommitted, oversold)).toContain('available');
});

test('EVT-31, X-117: the new stay has a night', () => {
  const newStay = { arrival: '2026-03-25', departure: '2026-03-21' };
  expect(refusalOf(AllocationReallocated, sampleOf(AllocationReallocated, { newStay }))).toContain('newStay');
});

test('EVT-32: a stop-sell that ends before it starts is refused', () => {
  const nights = { from: '2026-04-13', until: '2026-04-10' };
  expect(refusalOf(StopSellActivated, sampleOf(StopSellActivated, { nights }))).toContain('ends before');
});

test.each([
  ['hold', null, undefined],
  ['confirm', null, undefined],
  ['date_change', { arrival: '2026-03-21', departure: '2026-03-24' }, undefined],
  ['date_change', null, 'a date change keeps a stay'],
  ['hold', { arrival: '2026-03-21', departure: '2026-03-24' }, 'a date change keeps a stay'],
])('EVT-34, SAGA-55: a blocked %s that keeps %o', (step, keptStay, reason) => {
  const refusal = refusalOf(OversellBlocked, sampleOf(OversellBlocked, { step, keptStay }));
  expect(refusal).toEqual(reason && expect.stringContaining(reason));
});

function sampleOf({ subject }: { subject: string }, change: object = {}): Record<string, unknown> {
  return { ...samples[subject], ...change };
}

function keyOf(event: (typeof events)[number], change: object, aggregateVersion: number): string {
  return event.from(sampleOf(event, change) as never, { aggregateVersion }).idempotencyKey;
}
