import { addDays, parseLocalDate } from '@ghasi/domain-primitives/local-date';
import { events as billing } from '@melmastoon/billing-service/contract';
import { events as iam } from '@melmastoon/iam-service/events';
import { events as locks } from '@melmastoon/lock-integration-service/contract';
import { events as payments } from '@melmastoon/payment-gateway-service/contract';
import { BookingCancelled, events as bookings } from '@melmastoon/reservation-service/contract';
import { events as listings } from '@melmastoon/search-aggregation-service/contract';
import { ConflictRecorded, CursorAdvanced } from '@melmastoon/sync-service/contract';
import { events as tenants } from '@melmastoon/tenant-service/events';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { events as own } from './contract.ts';
import { dayOf, dayToSeal, emptyChain, type Head, recordingTime } from './model.ts';
import { isRecorded } from './recorded.ts';

const moment = fc.date({
  min: new Date('2020-01-01T00:00:00Z'),
  max: new Date('2030-01-01T00:00:00Z'),
  noInvalidDate: true,
});

describe('days are runs of positions', () => {
  test('whatever the clocks say, an entry is never recorded before the one before it or in a day under a root', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(moment, fc.boolean()), { minLength: 1, maxLength: 12 }), steps => {
        let head: Head = emptyChain;
        for (const [now, seals] of steps) {
          const day = seals ? dayToSeal(head, now) : undefined;
          if (day !== undefined) head = { ...head, sealedDay: day, openDay: null };
          const recordedAt = recordingTime(head, now);
          expect(recordedAt.getTime()).toBeGreaterThanOrEqual(head.recordedAt?.getTime() ?? 0);
          if (head.sealedDay !== null) expect(dayOf(recordedAt) > head.sealedDay).toBe(true);
          head = { ...head, recordedAt, openDay: head.openDay ?? dayOf(recordedAt) };
        }
      }),
    );
  });

  test('a day is over when another has begun in UTC', () => {
    const openDay = parseLocalDate('2026-03-21');
    const head = { ...emptyChain, openDay };
    expect(dayToSeal(head, new Date('2026-03-21T23:59:59.999Z'))).toBeUndefined();
    expect(dayToSeal(head, new Date('2026-03-22T00:00:00.000Z'))).toBe(openDay);
    expect(dayToSeal(emptyChain, new Date())).toBeUndefined();
    expect(dayOf(new Date('2026-03-21T23:59:59.999Z'))).toBe(addDays(openDay, 0));
  });
});

describe('what is recorded', () => {
  test('BROKER-16: everything about money, keys, access, tenancy and stays', () => {
    const heard = [...billing, ...payments, ...locks, ...iam, ...tenants, ...bookings];
    expect(heard.length).toBeGreaterThan(35);
    expect(heard.filter(event => !isRecorded(event as never))).toEqual([]);
  });

  test('SAGA-30: every cancellation is recorded with what it gave back, also when that was nothing', () => {
    expect(isRecorded(BookingCancelled as never)).toBe(true);
    expect(Object.keys((BookingCancelled.payload as never as { shape: object }).shape)).toEqual(
      expect.arrayContaining(['refund', 'fee', 'paymentId']),
    );
  });

  test('X-073, X-074: not our own events, and none that an entry of ours would cause again', () => {
    const left = [...own, ...listings, CursorAdvanced];
    expect(left.filter(event => isRecorded(event as never))).toEqual([]);
    expect(isRecorded(ConflictRecorded as never)).toBe(true);
  });
});
