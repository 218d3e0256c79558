import { contractConformance, refusalOf } from '@melmastoon/catalog/contract-conformance';
import { describe, expect, test } from 'vitest';
import {
  BookingDraftAbandoned,
  BookingDraftConverted,
  BookingDraftFailed,
  deviceClasses,
  events,
} from './contract.ts';
import { samples } from './fixtures/samples.ts';
import { service } from './service.ts';

describe('EVT-83..85: the events of bff-tenant-booking-service', () => {
  contractConformance(events, samples);

  test('they are the three of the ledger, all warm', () => {
    expect(events.map(({ subject, retention }) => [subject, retention])).toEqual([
      ['melmastoon.bff_tenant_booking.booking_draft.abandoned.v1', 'warm'],
      ['melmastoon.bff_tenant_booking.booking_draft.converted.v1', 'warm'],
      ['melmastoon.bff_tenant_booking.booking_draft.failed.v1', 'warm'],
    ]);
    expect(service.publishes).toBe(events);
  });

  test.each(events)('$subject is said once, however often the sweep runs', event => {
    const [first, again] = [1, 2].map(aggregateVersion =>
      event.from(sampleOf(event, { snapshotId: 'bds_01J8ZQ4T3Y5V6W7X8Y9Z0A1B99' }) as never, {
        aggregateVersion,
      }),
    );
    expect(again?.idempotencyKey).toBe(first?.idempotencyKey);
  });

  test.each(events)('$subject refuses a stay that departs before it arrives', event => {
    const stay = { arrival: '2026-03-24', departure: '2026-03-21' };
    expect(refusalOf(event, sampleOf(event, { stay }))).toContain('stay');
  });
});

test('EVT-83: a guest who only looked has chosen nothing', () => {
  const nothing = { propertyId: null, stay: null, adults: null, children: null, attribution: null };
  expect(refusalOf(BookingDraftAbandoned, sampleOf(BookingDraftAbandoned, nothing))).toBeUndefined();
});

test('EVT-84: what became a booking has a total, in a currency that exists', () => {
  const gross = { amount: '540000', currency: 'XYZ' };
  const total = { net: gross, tax: { ...gross, amount: '0' }, gross };
  expect(refusalOf(BookingDraftConverted, sampleOf(BookingDraftConverted, { total }))).toContain(
    'is no currency',
  );
  expect(refusalOf(BookingDraftConverted, sampleOf(BookingDraftConverted, { total: null }))).toContain(
    'total',
  );
});

test('EVT-85: a failure is a code, never what an upstream wrote', () => {
  const errorCode = 'card of Zarghuna was declined';
  expect(refusalOf(BookingDraftFailed, sampleOf(BookingDraftFailed, { errorCode }))).toContain('errorCode');
});

test('TB-26: the device classes are the four of the session', () => {
  expect(deviceClasses).toEqual([
    'browser-desktop',
    'browser-mobile',
    'mobile-app-ios',
    'mobile-app-android',
  ]);
});

function sampleOf({ subject }: { subject: string }, change: object = {}): Record<string, unknown> {
  return { ...samples[subject], ...change };
}
