import { eachDay, type LocalDate, parseLocalDate, weekday } from '@ghasi/domain-primitives/local-date';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  averageRate,
  cancellationRate,
  comparedPeriod,
  growth,
  leadTime,
  lengthOfStay,
  noShowRate,
  occupancyOf,
  revenuePerRoom,
  share,
  type Totals,
} from './measures.ts';
import { measuresOf } from './queries/summary.ts';
import { emptyTotals } from './queries/totals.ts';

const totals = (some: Partial<Totals>): Totals => ({ ...emptyTotals, ...some });
const money = (some: Partial<Totals['money'][number]>) => ({
  ...{ currency: 'AFN' as const, rooms: 0, roomNet: 0n, roomGross: 0n, postedNet: 0n, postedGross: 0n },
  ...{ otherNet: 0n, otherGross: 0n, ...some },
});

describe('measures', () => {
  test('R11: rooms out of order are no part of the base', () => {
    expect(occupancyOf({ rooms: 40, outOfOrder: 0, sold: 33 })).toBe(8_250);
    expect(occupancyOf({ rooms: 44, outOfOrder: 4, sold: 33 })).toBe(8_250);
    expect(revenuePerRoom({ roomNet: 100_000n }, { rooms: 44, outOfOrder: 4 })).toBe(2_500n);
  });

  test('a house without rooms has no occupancy, and one without guests no rate: not zero', () => {
    expect(occupancyOf({ rooms: 4, outOfOrder: 4, sold: 0 })).toBeNull();
    expect(averageRate({ roomNet: 0n, rooms: 0 })).toBeNull();
    expect(lengthOfStay(emptyTotals)).toBeNull();
    expect(leadTime(emptyTotals)).toBeNull();
    expect(noShowRate(emptyTotals)).toBeNull();
  });

  test('a house that is oversold is more than full', () => {
    expect(occupancyOf({ rooms: 10, outOfOrder: 0, sold: 11 })).toBe(11_000);
  });

  test('R19: halves of a minor unit are rounded away from zero, corrections too', () => {
    expect(averageRate({ roomNet: 10n, rooms: 4 })).toBe(3n);
    expect(averageRate({ roomNet: -10n, rooms: 4 })).toBe(-3n);
    expect(averageRate({ roomNet: 9n, rooms: 4 })).toBe(2n);
    expect(share(1, 3)).toBe(3_333);
    expect(share(2, 3)).toBe(6_667);
  });

  test('rates are of those who were to arrive: cancelled of all, not come of the rest', () => {
    const one = totals({
      arriving: 10,
      arrivingCancelled: 2,
      arrivingNoShow: 1,
      stays: 8,
      stayNights: 22,
      leadDays: 70,
    });
    expect(cancellationRate(one)).toBe(2_000);
    expect(noShowRate(one)).toBe(1_250);
    expect(lengthOfStay(one)).toBe(275);
    expect(leadTime(one)).toBe(1_000);
  });

  test('R19: two currencies are two lines: each has its rate by its own rooms, and RevPAR by all rooms', () => {
    const { money: lines } = measuresOf(
      totals({
        ...{ rooms: 10, sold: 6 },
        money: [
          money({ rooms: 4, roomNet: 10_000n, roomGross: 11_000n }),
          money({ currency: 'USD', rooms: 2, roomNet: 700n, otherNet: 50n }),
        ],
      }),
    );
    expect(lines).toMatchObject([
      {
        currency: 'AFN',
        averageRate: { amount: '2500', currency: 'AFN' },
        revenuePerRoom: { amount: '1000' },
      },
      { currency: 'USD', averageRate: { amount: '350', currency: 'USD' }, revenuePerRoom: { amount: '70' } },
    ]);
  });

  test('the mix is by rooms sold, the largest first, with money apart by currency', () => {
    const line = { channel: 'phone', rail: 'card', currency: 'AFN' as const, rooms: 1, net: 10n, gross: 11n };
    const { channels, rails } = measuresOf(
      totals({
        sold: 4,
        mix: [
          line,
          { ...line, channel: 'walk_in', rooms: 2 },
          { ...line, rail: 'cash', currency: 'USD', rooms: 1 },
        ],
      }),
    );
    expect(channels.map(({ name, roomsSold, share: part }) => [name, roomsSold, part])).toEqual([
      ['phone', 2, 5_000],
      ['walk_in', 2, 5_000],
    ]);
    expect(channels[0]?.revenue.map(({ currency, net }) => [currency, net.amount])).toEqual([
      ['AFN', '10'],
      ['USD', '10'],
    ]);
    expect(rails.map(({ name }) => name)).toEqual(['card', 'cash']);
  });
});

describe('a period is compared', () => {
  const period = { from: parseLocalDate('2026-03-01'), until: parseLocalDate('2026-03-08') };

  test('with as many days just before', () => {
    expect(comparedPeriod(period, 'previous_period')).toEqual({ from: '2026-02-22', until: '2026-03-01' });
  });

  test('with the same weekdays of last year, over a leap day too', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 3_000 }), fc.integer({ min: 1, max: 60 }), (start, length) => {
        const all = [...eachDay(parseLocalDate('2023-01-01'), parseLocalDate('2032-01-01'))];
        const asked = { from: all[start] as LocalDate, until: all[start + length] as LocalDate };
        if (asked.until === undefined) return;
        const other = comparedPeriod(asked, 'last_year');
        const weekdays = ({ from, until }: typeof asked) => [...eachDay(from, until)].map(weekday);
        expect(weekdays(other)).toEqual(weekdays(asked));
      }),
      { numRuns: 100 },
    );
  });

  test('growth is of what was; from nothing there is none', () => {
    expect(growth(150n, 100n)).toBe(5_000);
    expect(growth(50, 100)).toBe(-5_000);
    expect(growth(1, 0)).toBeNull();
    expect(growth(null, 1)).toBeNull();
  });
});

test('law: RevPAR is ADR times occupancy, as far as whole minor units can say it', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 500 }),
      fc.integer({ min: 1, max: 500 }),
      fc.nat(10_000_000),
      (rooms, some, net) => {
        const sold = Math.min(rooms, some);
        const [adr, revpar] = [
          averageRate({ roomNet: BigInt(net), rooms: sold }),
          revenuePerRoom({ roomNet: BigInt(net) }, { rooms, outOfOrder: 0 }),
        ];
        // Both were rounded by half a unit at most; the first is spread over the rooms again.
        const error = Math.abs(Number(revpar) * rooms - Number(adr) * sold);
        expect(error).toBeLessThanOrEqual((rooms + sold) / 2);
      },
    ),
    { numRuns: 300 },
  );
});
