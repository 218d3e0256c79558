import {
  addDays,
  daysBetween,
  eachDay,
  type LocalDate,
  parseLocalDate,
} from '@ghasi/domain-primitives/local-date';
import { localDateIn, parseZone } from '@ghasi/domain-primitives/zone';
import { demoHouses } from '@melmastoon/property-service/demo-houses';
import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { type DemoHouse, type DemoStay, demoStays } from './demo-stays.ts';

const houses: DemoHouse[] = demoHouses.map(({ id, facts, roomTypes }) => ({
  propertyId: id,
  zone: parseZone(facts.zone),
  currency: facts.currency,
  roomTypes: roomTypes.map(({ id: roomTypeId, spec, rooms }) => ({
    ...{ id: roomTypeId, maxAdults: spec.maxAdults, maxChildren: spec.maxChildren },
    nightly: 3_500n * BigInt(2 + spec.maxGuests),
    roomIds: rooms.map(room => room.id),
  })),
}));

type Sample = { house: DemoHouse; today: LocalDate; stays: DemoStay[] };
let samples: Sample[];
beforeAll(() => {
  const day = fc.integer({ min: 0, max: 3_650 }).map(n => addDays(parseLocalDate('2025-01-01'), n));
  samples = fc
    .sample(fc.tuple(fc.constantFrom(...houses), day), { numRuns: 24 })
    .map(([house, today]) => ({ house, today, stays: demoStays(house, today) }));
});

/** Every stay of random houses and days that breaks a law; a law says what is wrong. */
function broken(law: (stay: DemoStay, of: Sample) => (false | string)[]): string[] {
  return samples.flatMap(sample =>
    sample.stays.flatMap(stay =>
      law(stay, sample).flatMap(what =>
        what === false ? [] : [`${sample.today}, ${stay.reservationId}: ${what}`],
      ),
    ),
  );
}

const isLive = ({ end }: DemoStay) => end === null;
const sum = (amounts: readonly bigint[]) => amounts.reduce((all, one) => all + one, 0n);
const roomsOf = ({ roomTypes }: DemoHouse) => roomTypes.flatMap(({ roomIds }) => roomIds);

test('the same house and day make the same stays, another day makes others', () => {
  const [{ house, today, stays }] = samples as [Sample];
  expect(demoStays(house, today)).toEqual(stays);
  const known = new Set(stays.map(({ reservationId }) => reservationId));
  const next = demoStays(house, addDays(today, 1));
  expect(next.filter(({ reservationId }) => known.has(reservationId))).toEqual([]);
});

test('R7: no room has two guests on a night, whatever the day', () => {
  for (const { house, stays, today } of samples) {
    const nights = stays
      .filter(isLive)
      .flatMap(({ stay, rooms }) =>
        rooms.flatMap(({ roomId }) =>
          [...eachDay(stay.arrival, stay.departure)].map(night => `${roomId} ${night}`),
        ),
      );
    expect(new Set(nights).size, today).toBe(nights.length);
    const known = new Set<string>(roomsOf(house));
    expect(stays.flatMap(({ rooms }) => rooms).every(({ roomId }) => known.has(roomId))).toBe(true);
  }
});

test('R20: nights make the total in net, tax and gross', () => {
  expect(
    broken(({ rooms, total, dueNow, stay }) => {
      const nights = rooms.flatMap(room => room.nights);
      const parts = ['net', 'tax', 'gross'] as const;
      const length = daysBetween(stay.arrival, stay.departure);
      return [
        rooms.some(room => room.nights.length !== length) && 'a night has no price',
        parts.some(part => sum(nights.map(({ price }) => price[part])) !== total[part]) &&
          'is not its nights',
        total.net + total.tax !== total.gross && 'net and tax do not make gross',
        dueNow > total.gross && 'more is due than it costs',
        (length < 1 || length > 7) && `${length} nights`,
      ];
    }),
  ).toEqual([]);
});

test('R22: who has left has paid everything, nobody paid too much, and refunds are what the policy gives back', () => {
  expect(
    broken(({ total, payments, extra, status, end }) => {
      const came = sum(payments.filter(({ paidAt }) => paidAt !== null).map(({ amount }) => amount));
      const back = sum(payments.map(({ refund }) => refund?.amount ?? 0n));
      const owed = total.gross + (extra === null ? 0n : extra.net + extra.tax);
      return [
        status === 'checked_out' && came !== owed && `paid ${came} of ${owed}`,
        came > owed && 'paid too much',
        back !== (end?.refund ?? 0n) && 'another refund than the policy says',
        back > came && 'got back more than was paid',
        end !== null && came - back > end.fee && 'the house kept more than its fee',
      ];
    }),
  ).toEqual([]);
});

test('every status fits its dates', () => {
  expect(
    broken(({ status, stay, inAt, outAt, end, rail }, { today }) => {
      const fits = {
        checked_out: stay.departure < today,
        checked_in: stay.arrival < today && stay.departure >= today,
        confirmed: stay.arrival >= today && rail !== 'cash_pending',
        confirmed_cash_pending: stay.arrival >= today && rail === 'cash_pending',
        cancelled: end?.kind === 'cancelled' && end.on < stay.arrival,
        no_show: end?.kind === 'no_show' && stay.arrival <= addDays(today, -3),
      }[status];
      const came = status === 'checked_in' || status === 'checked_out';
      return [
        !fits && `${status} from ${stay.arrival} to ${stay.departure}`,
        (inAt !== null) !== came && 'came, or did not',
        (outAt !== null) !== (status === 'checked_out') && 'left, or did not',
      ];
    }),
  ).toEqual([]);
});

test('what has happened came in its order, and before the day began', () => {
  expect(
    broken(({ bookedAt, bookedOn, inAt, outAt, end, payments }, { today, house: { zone } }) => {
      const moments = [bookedAt, inAt, outAt, end?.at ?? null].filter(at => at !== null).map(Number);
      const money = payments.flatMap(({ askedAt, paidAt, refund }) => [askedAt, paidAt, refund?.at ?? null]);
      const latest = Math.max(...moments, ...money.map(at => Number(at ?? 0)));
      return [
        moments.some((at, n) => n > 0 && at <= (moments[n - 1] ?? 0)) && 'out of order',
        localDateIn(zone, new Date(latest)) >= today && 'happened today',
        localDateIn(zone, bookedAt) !== bookedOn && 'booked on another day',
      ];
    }),
  ).toEqual([]);
});

test('about six of ten nights of three months were slept, and fewer of those to come are sold', () => {
  for (const { house, stays, today } of samples) {
    const share = (from: number, until: number) => {
      const [first, last] = [addDays(today, from), addDays(today, until)];
      const nights = stays
        .filter(isLive)
        .flatMap(({ stay, rooms }) =>
          [...eachDay(stay.arrival, stay.departure)].flatMap(at => (at >= first && at < last ? rooms : [])),
        );
      return nights.length / roomsOf(house).length / (until - from);
    };
    const past = share(-90, 0);
    expect(past, today).toBeGreaterThan(0.5);
    expect(past, today).toBeLessThan(0.75);
    expect(share(60, 90)).toBeGreaterThan(0.1);
    expect(share(60, 90)).toBeLessThan(past);
  }
});

test('every board has something to show, whatever the day', () => {
  const statuses = ['checked_out', 'checked_in', 'confirmed', 'confirmed_cash_pending', 'cancelled'] as const;
  for (const { stays, today } of samples) {
    const all = <T>(of: (stay: DemoStay) => T) => new Set(stays.map(of));
    const found = all(({ status }) => status);
    expect(
      statuses.filter(status => !found.has(status)),
      today,
    ).toEqual([]);
    expect(stays.some(({ rooms }) => rooms.length > 1)).toBe(true);
    expect(all(({ guest }) => guest.locale).size).toBe(3);
    expect(all(({ channel }) => channel).size).toBe(5);
    expect(all(({ rail }) => rail).size).toBe(4);
    expect(all(({ plan }) => plan).size).toBe(3);
  }
});

test('ids and codes are given once', () => {
  for (const { stays } of samples) {
    const once = (keys: readonly string[]) => expect(new Set(keys).size).toBe(keys.length);
    once(stays.map(({ code }) => code));
    once(stays.flatMap(({ reservationId, guestId, folioId }) => [reservationId, guestId, folioId]));
    once(stays.flatMap(({ rooms }) => rooms.flatMap(({ bookedRoomId, keyId }) => [bookedRoomId, keyId])));
    once(stays.flatMap(({ payments }) => payments.map(({ paymentId }) => paymentId)));
  }
});
