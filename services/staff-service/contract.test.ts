import { contractConformance, refusalOf } from '@melmastoon/catalog/contract-conformance';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { events, ShiftClosed, ShiftOpened } from './contract.ts';
import { samples } from './fixtures/samples.ts';
import { service } from './service.ts';

describe('EVT-81..82: the events of staff-service', () => {
  contractConformance(events, samples);

  test('they are the two of the ledger, both warm', () => {
    expect(events.map(({ subject, retention }) => [subject, retention])).toEqual([
      ['melmastoon.staff.shift.opened.v1', 'warm'],
      ['melmastoon.staff.shift.closed.v1', 'warm'],
    ]);
    expect(service.publishes).toBe(events);
  });

  test.each(events)('$subject happens once to a shift', event => {
    const [first, later] = [1, 7].map(aggregateVersion =>
      event.from(sampleOf(event) as never, { aggregateVersion }),
    );
    expect(later?.idempotencyKey).toBe(first?.idempotencyKey);
  });
});

test('EVT-81: a shift entered later by a manager has no device', () => {
  expect(refusalOf(ShiftOpened, sampleOf(ShiftOpened, { deviceId: null }))).toBeUndefined();
  expect(refusalOf(ShiftOpened, sampleOf(ShiftOpened, { deviceId: 'desk 1' }))).toContain('deviceId');
});

test('EVT-82: nobody works longer than his shift is open', () => {
  const minutes = fc.integer({ min: 0, max: 1_000 });
  fc.assert(
    fc.property(minutes, minutes, minutes, (open, workedMinutes, breakMinutes) => {
      const closedAt = new Date(Date.UTC(2026, 2, 24, 3, 30 + open)).toISOString();
      const payload = sampleOf(ShiftClosed, { closedAt, workedMinutes, breakMinutes });
      const isTooLong = workedMinutes + breakMinutes > open;
      expect(refusalOf(ShiftClosed, payload) !== undefined).toBe(isTooLong);
    }),
  );
});

test('EVT-82: a shift that ends before it starts is refused', () => {
  const change = { closedAt: '2026-03-24T03:29:00.000Z', workedMinutes: 0, breakMinutes: 0 };
  expect(refusalOf(ShiftClosed, sampleOf(ShiftClosed, change))).toContain('longer than the shift');
});

function sampleOf({ subject }: { subject: string }, change: object = {}): Record<string, unknown> {
  return { ...samples[subject], ...change };
}
