import { contractConformance, refusalOf } from '@melmastoon/catalog/contract-conformance';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  CalendarUpdated,
  DeltaApplied,
  events,
  QuoteExpired,
  RatePlanArchived,
  RatePlanPublished,
} from './contract.ts';
import { samples } from './fixtures/samples.ts';
import { service } from './service.ts';

const afn = (minor: bigint | number) => ({ amount: String(minor), currency: 'AFN' });
const version = fc.integer({ min: 1, max: 1_000_000 });

describe('EVT-35..39: the events of pricing-service', () => {
  contractConformance(events, samples);

  test('they are the five of the ledger, all warm', () => {
    expect(events.map(({ subject, retention }) => [subject, retention])).toEqual([
      ['melmastoon.pricing.rate_plan.published.v1', 'warm'],
      ['melmastoon.pricing.rate_plan.archived.v1', 'warm'],
      ['melmastoon.pricing.calendar.updated.v1', 'warm'],
      ['melmastoon.pricing.delta.applied.v1', 'warm'],
      ['melmastoon.pricing.quote.expired.v1', 'warm'],
    ]);
    expect(service.publishes).toBe(events);
  });
});

test.each([
  [RatePlanPublished, 'planVersion'],
  [RatePlanArchived, 'planVersion'],
  [CalendarUpdated, 'calendarVersion'],
] as const)('EVT-35, EVT-36, EVT-37: $0.subject is said once per $1', (event, field) => {
  fc.assert(
    fc.property(version, version, (one, other) => {
      const same = keyOf(event, { [field]: one }, 1) === keyOf(event, { [field]: other }, 2);
      expect(same).toBe(one === other);
    }),
  );
});

describe('the calendar', () => {
  const [day, closed] = sampleOf(CalendarUpdated).dates as [object, object];
  const refusal = (dates: object[]) => refusalOf(CalendarUpdated, sampleOf(CalendarUpdated, { dates }));

  test('EVT-37: no change, or the same date twice, is refused', () => {
    expect(refusal([])).toContain('dates');
    expect(refusal([day, day])).toContain('has a date twice');
  });

  test('EVT-37: one calendar has one currency', () => {
    expect(refusal([{ ...day, price: { amount: '4000', currency: 'USD' } }])).toContain('mixes currencies');
    expect(refusal([day, closed])).toBeUndefined();
  });

  test('EVT-37, R12: restrictions that allow no stay are refused', () => {
    const restrictions = {
      minNights: 5,
      maxNights: 2,
      closedToArrival: false,
      closedToDeparture: false,
      closed: false,
    };
    expect(refusal([{ ...day, restrictions }])).toContain('allows no stay');
  });
});

describe('the price difference', () => {
  const minor = fc.bigInt(1n, 10n ** 10n);
  const taxed = (gross: bigint) => ({ net: afn(gross), tax: afn(0), gross: afn(gross) });
  const night = { bookedRoomId: 'brm_01J8ZQ4T3Y5V6W7X8Y9Z0A1B2T', date: '2026-03-21', change: 'repriced' };

  test('EVT-38, X-126: previous total and delta make new total and fee, also when money goes back', () => {
    fc.assert(
      fc.property(minor, minor, minor, fc.bigInt(-2n, 2n), (previous, next, fee, off) => {
        const payload = sampleOf(DeltaApplied, {
          previousTotal: taxed(previous),
          newTotal: taxed(next),
          fee: afn(fee),
          delta: afn(next + fee - previous + off),
          nights: [{ ...night, price: taxed(next) }],
        });
        const refusal = refusalOf(DeltaApplied, payload);
        expect(refusal).toEqual(off === 0n ? undefined : expect.stringContaining('not the difference'));
      }),
    );
  });

  test('EVT-38, R20: the nights that are slept make the new total; removed ones do not count', () => {
    const nights = sampleOf(DeltaApplied).nights as { change: string; date: string }[];
    const removed = { ...nights[0], change: 'removed', date: '2026-03-20' };
    const more = sampleOf(DeltaApplied, { nights: [...nights, removed] });
    const less = sampleOf(DeltaApplied, { nights: nights.slice(1) });
    expect(refusalOf(DeltaApplied, more)).toBeUndefined();
    expect(refusalOf(DeltaApplied, less)).toContain('do not make the new total');
  });

  test('EVT-38: a version of a booking has one difference, under whichever id', () => {
    const first = keyOf(DeltaApplied, {}, 1);
    expect(keyOf(DeltaApplied, { deltaId: 'pdl_01J8ZQ4T3Y5V6W7X8Y9Z0A1B99' }, 2)).toBe(first);
    expect(keyOf(DeltaApplied, { reservationVersion: 6 }, 1)).not.toBe(first);
  });
});

test('EVT-39: a quote lapses once, for a stay that has a night', () => {
  expect(keyOf(QuoteExpired, {}, 1)).toBe(keyOf(QuoteExpired, {}, 2));
  const stay = { arrival: '2026-03-24', departure: '2026-03-24' };
  expect(refusalOf(QuoteExpired, sampleOf(QuoteExpired, { stay }))).toContain('stay');
});

test('EVT-35: a name in the same language twice, and an unknown currency, are refused', () => {
  const name = [
    { locale: 'en', text: 'Flexible' },
    { locale: 'en', text: 'Flexible rate' },
  ];
  expect(refusalOf(RatePlanPublished, sampleOf(RatePlanPublished, { name }))).toContain('language twice');
  expect(refusalOf(RatePlanPublished, sampleOf(RatePlanPublished, { currency: 'AFA' }))).toContain(
    'is no currency',
  );
});

function sampleOf({ subject }: { subject: string }, change: object = {}): Record<string, unknown> {
  return { ...samples[subject], ...change };
}

function keyOf(event: (typeof events)[number], change: object, aggregateVersion: number): string {
  return event.from(sampleOf(event, change) as never, { aggregateVersion }).idempotencyKey;
}
