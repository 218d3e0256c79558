import { contractConformance, refusalOf } from '@melmastoon/catalog/contract-conformance';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { conditions, occupancies, overlayKinds } from './contract/room-state.ts';
import {
  ConsumptionCreated,
  events,
  PurchaseCreated,
  PurchaseFinished,
  RoomStatusChanged,
  TaskAssigned,
  TaskCompleted,
  TaskCreated,
} from './contract.ts';
import { samples } from './fixtures/samples.ts';
import { service } from './service.ts';

const afn = (minor: bigint | number) => ({ amount: String(minor), currency: 'AFN' });
const version = fc.integer({ min: 1, max: 1_000_000 });

describe('EVT-57..60, EVT-87..89: the events of housekeeping-service', () => {
  contractConformance(events, samples);

  test('they are the seven of the ledger, all warm', () => {
    expect(events.map(({ subject, retention }) => [subject, retention])).toEqual([
      ['melmastoon.housekeeping.task.created.v1', 'warm'],
      ['melmastoon.housekeeping.task.assigned.v1', 'warm'],
      ['melmastoon.housekeeping.task.completed.v1', 'warm'],
      ['melmastoon.housekeeping.room.status_changed.v1', 'warm'],
      ['melmastoon.housekeeping.consumption.created.v1', 'warm'],
      ['melmastoon.housekeeping.purchase.created.v1', 'warm'],
      ['melmastoon.housekeeping.purchase.finished.v1', 'warm'],
    ]);
    expect(service.publishes).toBe(events);
  });
});

test('EVT-57, EVT-59: a task is created and completed once', () => {
  for (const event of [TaskCreated, TaskCompleted]) expect(keyOf(event, {}, 1)).toBe(keyOf(event, {}, 9));
});

test('EVT-58: a task can be assigned again', () => {
  fc.assert(
    fc.property(version, version, (one, other) => {
      expect(keyOf(TaskAssigned, {}, one) === keyOf(TaskAssigned, {}, other)).toBe(one === other);
    }),
  );
});

test('EVT-59: a task that ended before it started is refused', () => {
  const startedAt = '2026-03-24T07:38:01.000Z';
  expect(refusalOf(TaskCompleted, sampleOf(TaskCompleted, { startedAt }))).toContain('before it started');
});

describe('the state of a room', () => {
  const overlay = {
    kind: 'out_of_order',
    days: { from: '2026-03-24', until: '2026-03-26' },
    returnCondition: 'dirty',
    ticketId: null,
  };
  const states = occupancies.flatMap(occupancy =>
    conditions.flatMap(condition =>
      [null, ...overlayKinds.map(kind => ({ ...overlay, kind }))].map(layer => ({
        occupancy,
        condition,
        overlay: layer,
      })),
    ),
  );
  const state = fc.constantFrom(...states);
  const refusal = (change: object) => refusalOf(RoomStatusChanged, sampleOf(RoomStatusChanged, change));

  test('EVT-60, R26: every pair of two different legal states is a change, and nothing else is', () => {
    fc.assert(
      fc.property(state, state, (from, to) => {
        const legal = [from, to].every(
          ({ occupancy, overlay }) => occupancy === 'vacant' || overlay === null,
        );
        const changed = JSON.stringify(from) !== JSON.stringify(to);
        expect(refusal({ from, to }) === undefined).toBe(legal && changed);
      }),
    );
  });

  test('EVT-60, R11: an occupied room is neither out of order nor out of service', () => {
    const to = { occupancy: 'occupied', condition: 'clean', overlay };
    expect(refusal({ to })).toContain('R11');
  });

  test('EVT-60: a longer overlay is a change, one that ends before it starts is refused', () => {
    const from = { occupancy: 'vacant', condition: 'clean', overlay };
    const longer = { ...overlay, days: { from: '2026-03-24', until: '2026-03-28' } };
    const inverted = { ...overlay, days: { from: '2026-03-26', until: '2026-03-24' } };
    expect(refusal({ from, to: { ...from, overlay: longer } })).toBeUndefined();
    expect(refusal({ from, to: { ...from, overlay: inverted } })).toContain('ends before');
  });

  test('EVT-60: a room has one key per version of its status', () => {
    fc.assert(
      fc.property(version, version, (one, other) => {
        const keys = [one, other].map(statusVersion => keyOf(RoomStatusChanged, { statusVersion }, 1));
        expect(keys[0] === keys[1]).toBe(one === other);
      }),
    );
  });
});

describe('stock', () => {
  test('EVT-87, IDEM-13: what an operator recorded once is one consumption, whatever the server calls it', () => {
    const first = keyOf(ConsumptionCreated, {}, 1);
    const again = { consumptionId: 'cns_01J8ZQ4T3Y5V6W7X8Y9Z0A1B99' };
    const other = { recordedBy: 'usr_01J8ZQ4T3Y5V6W7X8Y9Z0A1B99' };
    expect(keyOf(ConsumptionCreated, again, 2)).toBe(first);
    expect(keyOf(ConsumptionCreated, other, 1)).not.toBe(first);
  });

  test('EVT-87, R20: so many of the unit price are the total', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 99 }),
        fc.bigInt(0n, 10n ** 9n),
        fc.bigInt(0n, 2n),
        (...given) => {
          const [quantity, unit, off] = given;
          const gross = afn(unit * BigInt(quantity) + off);
          const change = { quantity, unitPrice: afn(unit), total: { net: gross, tax: afn(0), gross } };
          const refusal = refusalOf(ConsumptionCreated, sampleOf(ConsumptionCreated, change));
          expect(refusal).toEqual(off === 0n ? undefined : expect.stringContaining('quantity times'));
        },
      ),
    );
  });

  test('EVT-87, GEN-22: a guest can only pay with a stay to charge', () => {
    const nobody = { reservationId: null };
    const house = { reservationId: null, paidBy: 'house' };
    expect(refusalOf(ConsumptionCreated, sampleOf(ConsumptionCreated, nobody))).toContain(
      'no stay to charge',
    );
    expect(refusalOf(ConsumptionCreated, sampleOf(ConsumptionCreated, house))).toBeUndefined();
  });

  test('EVT-88, EVT-89: a lot is opened once and ends once', () => {
    for (const event of [PurchaseCreated, PurchaseFinished])
      expect(keyOf(event, {}, 1)).toBe(keyOf(event, {}, 2));
  });

  test('EVT-88: a lot costs money of a currency that exists, and holds something', () => {
    const cost = { amount: '100', currency: 'ABC' };
    expect(refusalOf(PurchaseCreated, sampleOf(PurchaseCreated, { cost }))).toContain('is no currency');
    expect(refusalOf(PurchaseCreated, sampleOf(PurchaseCreated, { quantity: 0 }))).toContain('quantity');
  });
});

function sampleOf({ subject }: { subject: string }, change: object = {}): Record<string, unknown> {
  return { ...samples[subject], ...change };
}

function keyOf(event: (typeof events)[number], change: object, aggregateVersion: number): string {
  return event.from(sampleOf(event, change) as never, { aggregateVersion }).idempotencyKey;
}
