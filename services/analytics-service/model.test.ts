import type { LocalDate } from '@ghasi/domain-primitives/local-date';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { foldBooking, type Night, rangesOf, type Sample, type SampleData, type SampleKind } from './model.ts';

const day = (n: number) => `2026-03-${String(n).padStart(2, '0')}` as LocalDate;
const at = (version: number) => new Date(Date.UTC(2026, 1, version));

const night = (date: number, net = '100', bookedRoomId = 'one') => ({
  bookedRoomId,
  date: day(date),
  net,
  gross: net,
});
const confirmed = (nights = [night(10), night(11)]): SampleData['confirmed'] => ({
  ...{ status: 'confirmed', channel: 'phone', rail: 'card', currency: 'AFN' },
  roomTypes: { one: 'single', two: 'double' },
  nights,
});
function sample<K extends SampleKind>(
  version: number,
  kind: K,
  data: SampleData[K],
  businessDate: number | null = null,
) {
  const on = businessDate === null ? null : day(businessDate);
  return { version, kind, at: at(version), businessDate: on, data } as Extract<Sample, { kind: K }>;
}
const dates = (nights: readonly Night[] | undefined) => nights?.map(({ date }) => Number(date.slice(-2)));

describe('a booking is told from what was heard of it', () => {
  test('nothing counts until it is confirmed: a hold that lapsed was never a booking', () => {
    expect(foldBooking([])).toBeUndefined();
    expect(foldBooking([sample(2, 'cancelled', {})])).toBeUndefined();
  });

  test('confirmed, it is on the books with each of its nights', () => {
    const booking = foldBooking([
      sample(2, 'confirmed', confirmed([night(10, '100'), night(11, '250'), night(10, '70', 'two')])),
    ]);
    expect(booking).toMatchObject({
      ...{ status: 'confirmed', arrival: day(10), departure: day(12), rooms: 2, roomNights: 3, net: 420n },
      ...{ bookedAt: at(2), cancelledAt: null, noShowOn: null },
    });
    expect(booking?.changes.map(({ rooms, net, at: when }) => [rooms, net, when])).toEqual([
      [1, 100n, at(2)],
      [1, 250n, at(2)],
      [1, 70n, at(2)],
    ]);
  });

  test('cancelled, it leaves the books on the day of that and is remembered with its dates and price', () => {
    const booking = foldBooking([sample(2, 'confirmed', confirmed()), sample(4, 'cancelled', {})]);
    expect(booking).toMatchObject({
      status: 'cancelled',
      nights: [],
      arrival: day(10),
      net: 200n,
      cancelledAt: at(4),
    });
    expect(booking?.changes.slice(2).map(({ rooms, net }) => [rooms, net])).toEqual([
      [-1, -100n],
      [-1, -100n],
    ]);
  });

  test('SAGA-27: cash that was promised and came is the same booking, paid', () => {
    const promised = { ...confirmed(), status: 'confirmed_cash_pending', rail: 'cash_pending' } as const;
    const booking = foldBooking([sample(2, 'confirmed', promised), sample(5, 'confirmed', confirmed())]);
    expect(booking).toMatchObject({ status: 'confirmed', rail: 'card', bookedAt: at(2) });
    expect(booking?.changes).toHaveLength(2);
  });

  test('X-117: other dates hold once they have a price, and what was asked for alone changes nothing', () => {
    const asked = sample(5, 'dates_changed', { reason: 'extension', arrival: day(11), departure: day(13) });
    const before = [sample(2, 'confirmed', confirmed()), asked];
    expect(dates(foldBooking(before)?.nights)).toEqual([10, 11]);
    const priced = sample(5, 'repriced', { nights: [night(11, '120'), night(12, '130')] });
    const booking = foldBooking([...before, priced]);
    expect(dates(booking?.nights)).toEqual([11, 12]);
    // The night that stays costs 20 more, one is new, one is given back.
    expect(
      booking?.changes.slice(2).map(({ date, rooms, net }) => [Number(date.slice(-2)), rooms, net]),
    ).toEqual([
      [11, 0, 20n],
      [12, 1, 130n],
      [10, -1, -100n],
    ]);
  });

  test('SAGA-55: dates that were refused after all are put back at their old price', () => {
    const booking = foldBooking([
      sample(2, 'confirmed', confirmed()),
      sample(5, 'repriced', { nights: [night(20, '500')] }),
      sample(6, 'dates_changed', { reason: 'reallocation_failed', arrival: day(10), departure: day(12) }),
    ]);
    expect(dates(booking?.nights)).toEqual([10, 11]);
    expect(booking?.net).toBe(200n);
  });

  test('R17: a no-show leaves the books on the day that closed without the guest; who came after all is back', () => {
    const gone = [sample(2, 'confirmed', confirmed()), sample(4, 'no_show', {}, 10)];
    expect(foldBooking(gone)).toMatchObject({ status: 'no_show', noShowOn: day(10), nights: [] });
    const back = foldBooking([...gone, sample(6, 'checked_in', {}, 11)]);
    expect(back).toMatchObject({ status: 'checked_in', noShowOn: null });
    expect(dates(back?.nights)).toEqual([10, 11]);
  });

  test('a price of a room that nobody knows is not counted', () => {
    const strange = sample(5, 'repriced', { nights: [night(20, '500', 'three')] });
    expect(dates(foldBooking([sample(2, 'confirmed', confirmed()), strange])?.nights)).toEqual([10, 11]);
  });

  test('demo data gives way to the first event', () => {
    const demo = sample(0, 'confirmed', confirmed([night(1)]));
    expect(dates(foldBooking([demo])?.nights)).toEqual([1]);
    expect(dates(foldBooking([demo, sample(2, 'confirmed', confirmed())])?.nights)).toEqual([10, 11]);
  });
});

const anyNights = fc
  .uniqueArray(fc.integer({ min: 1, max: 28 }), { minLength: 1, maxLength: 5 })
  .chain(all => fc.tuple(...all.map(date => fc.nat(999).map(net => night(date, String(net))))));
const anySample: fc.Arbitrary<Sample> = fc.integer({ min: 1, max: 9 }).chain(version =>
  fc.oneof(
    anyNights.map(nights => sample(version, 'confirmed', confirmed(nights))),
    anyNights.map(nights => sample(version, 'repriced', { nights })),
    fc.constant(sample(version, 'cancelled', {})),
    fc.constant(sample(version, 'no_show', {}, 5)),
    fc.constant(sample(version, 'checked_in', {}, 5)),
    fc.constant(
      sample(version, 'dates_changed', { reason: 'reallocation_failed', arrival: day(1), departure: day(2) }),
    ),
  ),
);
const anyBooking = fc.uniqueArray(anySample, {
  selector: ({ version, kind }) => `${version} ${kind}`,
  maxLength: 8,
});

test('ORD-14: the order in which samples are heard says nothing', () => {
  fc.assert(
    fc.property(
      anyBooking.chain(samples =>
        fc.tuple(fc.constant(samples), fc.shuffledSubarray(samples, { minLength: samples.length })),
      ),
      ([samples, other]) => {
        expect(foldBooking(other)).toEqual(foldBooking(samples));
      },
    ),
    { numRuns: 300 },
  );
});

test('R19: the changes of a booking add up to what is on the books, room by room and to the last unit', () => {
  fc.assert(
    fc.property(anyBooking, samples => {
      const booking = foldBooking(samples);
      const sums = new Map<string, { rooms: number; net: bigint }>();
      for (const { bookedRoomId, date, rooms, net } of booking?.changes ?? []) {
        const sum = sums.get(`${bookedRoomId} ${date}`) ?? { rooms: 0, net: 0n };
        sums.set(`${bookedRoomId} ${date}`, { rooms: sum.rooms + rooms, net: sum.net + net });
      }
      const left = [...sums].filter(([, { rooms, net }]) => rooms !== 0 || net !== 0n);
      const books = (booking?.nights ?? []).map(one => [
        `${one.bookedRoomId} ${one.date}`,
        { rooms: 1, net: one.net },
      ]);
      expect(Object.fromEntries(left)).toEqual(Object.fromEntries(books));
    }),
    { numRuns: 300 },
  );
});

test('days become as few ranges as there can be', () => {
  expect(rangesOf([day(3), day(1), day(2), day(7), day(2)])).toEqual([
    { from: day(1), until: day(4) },
    { from: day(7), until: day(8) },
  ]);
  expect(rangesOf([])).toEqual([]);
});
