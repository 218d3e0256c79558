import { newId } from '@ghasi/domain-primitives/ids';
import { addDays, parseLocalDate } from '@ghasi/domain-primitives/local-date';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  applyWatermarkFreshness,
  type Checkpoint,
  decideListing,
  type HouseState,
  type ListedType,
  toldNights,
  uncounted,
} from './model.ts';

const day = parseLocalDate('2026-03-21');
const night = (free: number, from: bigint | null) => ({ date: day, free, from });
const type = (more: Partial<ListedType> = {}): ListedType => ({
  roomTypeId: newId('rty'),
  name: [{ locale: 'en', text: 'Room' }],
  maxGuests: 2,
  coverPhotoId: null,
  rooms: 1,
  nights: [night(1, 100n)],
  ...more,
});
const house = (more: Partial<HouseState> = {}): HouseState => ({
  tenant: { slug: 'khyber', status: 'active' },
  wanted: true,
  roomTypes: [type()],
  ...more,
});

describe('whether a house is found', () => {
  test('with a published type that has rooms, counted nights and prices it is', () => {
    expect(decideListing(house())).toMatchObject({ kind: 'listed', slug: 'khyber' });
  });

  test.each([
    ['its tenant is suspended', { tenant: { slug: 'a-b', status: 'suspended' } }, 'tenant_suspended'],
    ['its tenant is closed', { tenant: { slug: 'a-b', status: 'closed' }, wanted: false }, 'tenant_closed'],
    ['its people do not want it', { wanted: false }, 'unpublished'],
    ['nobody knows its tenant', { tenant: undefined }, 'incomplete'],
    ['its tenant has no address yet', { tenant: { slug: null, status: 'active' } }, 'incomplete'],
    ['no type is published', { roomTypes: [] }, 'incomplete'],
    ['no type has rooms', { roomTypes: [type({ rooms: 0 })] }, 'no_sellable_rooms'],
    ['no room is counted', { roomTypes: [type({ nights: [] })] }, 'no_sellable_rooms'],
    ['nothing has a price', { roomTypes: [type({ nights: [night(1, null)] })] }, 'incomplete'],
  ] as [string, Partial<HouseState>, string][])('not when %s', (_when, more, reason) => {
    expect(decideListing(house(more))).toEqual({ kind: 'gone', reason });
  });

  test('sold out is no reason to vanish', () => {
    expect(decideListing(house({ roomTypes: [type({ nights: [night(0, 100n)] })] })).kind).toBe('listed');
  });

  test('types without rooms or prices are left out', () => {
    const sold = type();
    const decision = decideListing(
      house({ roomTypes: [type({ rooms: 0 }), sold, type({ nights: [night(1, null)] })] }),
    );
    expect(decision).toMatchObject({ roomTypes: [sold] });
  });

  test('rooms that inventory-service has not counted are noticed', () => {
    expect(uncounted([type(), type({ nights: [] })])).toBe(true);
    expect(uncounted([type(), type({ rooms: 0, nights: [] })])).toBe(false);
  });
});

test('EVT-71: a told night has a price exactly when a room is free, and an event has room for all types', () => {
  const nights = fc.array(fc.record({ free: fc.nat({ max: 3 }), from: fc.option(fc.bigInt(0n, 10n)) }), {
    minLength: 1,
    maxLength: 200,
  });
  fc.assert(
    fc.property(nights, fc.integer({ min: 1, max: 400 }), (list, types) => {
      const dated = list.map((one, n) => ({ ...one, date: addDays(day, n) }));
      const told = toldNights(dated, types);
      expect(told.length).toBeGreaterThan(0);
      expect(told.length * types).toBeLessThanOrEqual(Math.max(2_000, types));
      for (const { free, from } of told) expect(free > 0).toBe(from !== null);
    }),
  );
});

describe('PROJ-04, PROJ-05, X-154: how fresh a listing is', () => {
  const part = (more: Partial<Checkpoint> = {}): Checkpoint => ({
    status: 'COMPLETED',
    watermark: 5,
    startedWatermark: 5,
    sourceWatermark: 5,
    computedAt: '2026-03-21T10:00:00.000Z',
    ...more,
  });

  test.each([
    ['all parts show everything that was heard', [part(), part()], 'READY'],
    ['one part is behind', [part(), part({ watermark: 6, status: 'PENDING' })], 'STALE'],
    [
      'the part that is behind is being computed',
      [part(), part({ watermark: 6, startedWatermark: 6, status: 'PENDING' })],
      'COMPUTING',
    ],
    ['a part could not be computed', [part(), part({ status: 'FAILED', watermark: 6 })], 'FAILED'],
    ['nothing was computed', [], 'STALE'],
  ] as [string, Checkpoint[], string][])('%s', (_when, parts, status) => {
    expect(applyWatermarkFreshness(parts).status).toBe(status);
  });

  test('it is as old as its oldest part, and of no time while one was never computed', () => {
    const older = part({ computedAt: '2026-03-21T09:00:00.000Z' });
    expect(applyWatermarkFreshness([part(), older]).asOf).toBe(older.computedAt);
    expect(applyWatermarkFreshness([part(), part({ computedAt: null })]).asOf).toBeNull();
  });

  test('PROJ-04: whatever its parts say of themselves, it is never READY while something heard is not shown', () => {
    const number = fc.nat({ max: 3 });
    const parts = fc.array(
      fc.record({
        status: fc.constantFrom('PENDING', 'COMPLETED', 'FAILED'),
        watermark: number,
        startedWatermark: number,
        sourceWatermark: number,
        computedAt: fc.constant(null),
      }) as fc.Arbitrary<Checkpoint>,
      { minLength: 1, maxLength: 3 },
    );
    fc.assert(
      fc.property(parts, list => {
        const isBehind = list.some(one => one.watermark > one.sourceWatermark);
        if (isBehind) expect(applyWatermarkFreshness(list).status).not.toBe('READY');
      }),
    );
  });
});
