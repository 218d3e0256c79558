import { addDays, parseLocalDate } from '@ghasi/domain-primitives/local-date';
import { contractConformance, refusalOf } from '@melmastoon/catalog/contract-conformance';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { events, ListingEvicted, ListingIndexed } from './contract.ts';
import { samples } from './fixtures/samples.ts';
import { service } from './service.ts';

const propertyId = 'pro_01J8ZQ4T3Y5V6W7X8Y9Z0A1B2C';
const newYear = parseLocalDate('2026-03-21');

describe('EVT-71..72: the events of search-aggregation-service', () => {
  contractConformance(events, samples);

  test('they are the two of the ledger, of the class hot', () => {
    expect(events.map(({ subject, retention }) => [subject, retention])).toEqual([
      ['melmastoon.search_aggregation.listing.indexed.v1', 'hot'],
      ['melmastoon.search_aggregation.listing.evicted.v1', 'hot'],
    ]);
    expect(service.publishes).toBe(events);
  });

  test('XT-03, X-084: both may be read across tenants', () => {
    expect(events.map(({ crossTenant }) => crossTenant)).toEqual([true, true]);
  });
});

test('ORD-11: two workers with eight messages each, in order per property', () => {
  expect(service.delivery).toEqual({ mode: 'pull', instances: 2, concurrency: 8, order: 'required' });
});

test('EVT-71, EVT-72: a listing comes and goes many times, each time as a fact of its own', () => {
  expect(keyOf(ListingIndexed, 7)).toBe(`${propertyId}:indexed:7`);
  expect(keyOf(ListingEvicted, 8)).toBe(`${propertyId}:evicted:8`);
  expect(keyOf(ListingIndexed, 9)).toBe(`${propertyId}:indexed:9`);
});

describe('the nights of a listing', () => {
  test('EVT-71: they are in order and none is there twice', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 20 }), { minLength: 1, maxLength: 8 }), offsets => {
        const nights = offsets.map(offset => ({ date: addDays(newYear, offset), free: 0, from: null }));
        const isRising = offsets.every((offset, index) => index === 0 || (offsets[index - 1] ?? 0) < offset);
        expect(refusalOf(ListingIndexed, listed(nights)) === undefined).toBe(isRising);
      }),
    );
  });

  test.each([
    ['a free room without a price', { free: 1, from: null }, 'a price exactly when'],
    [
      'a price without a free room',
      { free: 0, from: { amount: '1', currency: 'AFN' } },
      'a price exactly when',
    ],
    ['a negative price', { free: 1, from: { amount: '-1', currency: 'AFN' } }, 'is negative'],
    ['a price in another currency', { free: 1, from: { amount: '1', currency: 'USD' } }, 'another currency'],
    ['a currency that is none', { free: 1, from: { amount: '1', currency: 'AFX' } }, 'is no currency'],
    ['less than no rooms', { free: -1, from: null }, 'free'],
  ])('EVT-71: %s is refused', (_what, night, reason) => {
    expect(refusalOf(ListingIndexed, listed([{ date: newYear, ...night }]))).toContain(reason);
  });
});

test('EVT-71, XT-05: who booked a night cannot be told', () => {
  const night = { date: newYear, free: 0, from: null, guestId: 'gst_01J8ZQ4T3Y5V6W7X8Y9Z0A1B2F' };
  expect(refusalOf(ListingIndexed, listed([night]))).toContain('guestId');
});

function listed(nights: object[]) {
  const sample = samples[ListingIndexed.subject] as { roomTypes: object[] };
  return { ...sample, roomTypes: [{ ...sample.roomTypes[0], nights }] };
}

function keyOf(event: (typeof events)[number], aggregateVersion: number): string {
  return event.from(samples[event.subject] as never, { aggregateVersion }).idempotencyKey;
}
