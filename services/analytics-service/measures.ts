import type { CurrencyCode } from '@ghasi/domain-primitives/currencies';
import { addDays, daysBetween, type LocalDate } from '@ghasi/domain-primitives/local-date';
import { divideRounded } from '@ghasi/domain-primitives/rounding';

/** Money of one currency over some days, in minor units; currencies are never added up. */
export type MoneyTotals = {
  readonly currency: CurrencyCode;
  /** Room nights sold in this currency. */
  readonly rooms: number;
  readonly roomNet: bigint;
  readonly roomGross: bigint;
  readonly postedNet: bigint;
  readonly postedGross: bigint;
  readonly otherNet: bigint;
  readonly otherGross: bigint;
};

/** Room nights of one channel and rail in one currency. */
export type MixTotals = {
  readonly channel: string;
  readonly rail: string;
  readonly currency: CurrencyCode;
  readonly rooms: number;
  readonly net: bigint;
  readonly gross: bigint;
};

/** Sums of the daily rows over some days. */
export type Totals = {
  readonly rooms: number;
  readonly outOfOrder: number;
  readonly sold: number;
  readonly arrivals: number;
  readonly departures: number;
  readonly bookings: number;
  readonly cancellations: number;
  readonly noShows: number;
  readonly arriving: number;
  readonly arrivingCancelled: number;
  readonly arrivingNoShow: number;
  readonly stays: number;
  readonly stayNights: number;
  readonly leadDays: number;
  readonly tasksCompleted: number;
  readonly money: readonly MoneyTotals[];
  readonly mix: readonly MixTotals[];
};

/** A quotient rounded half away from zero; null where there is nothing to divide by. */
export function quotient(dividend: bigint | number, divisor: bigint | number): bigint | null {
  return BigInt(divisor) <= 0n ? null : divideRounded(BigInt(dividend), BigInt(divisor), 'half-up');
}

/** A part of a whole in hundredths of a percent: 8250 is 82.5 %. Null where there is no whole. */
export function share(part: bigint | number, whole: bigint | number): number | null {
  const found = quotient(BigInt(part) * 10_000n, whole);
  return found === null ? null : Number(found);
}

/** A mean in hundredths: 275 is 2.75. Null where there is nothing. */
export function mean(sum: number, count: number): number | null {
  const found = quotient(BigInt(sum) * 100n, count);
  return found === null ? null : Number(found);
}

/** R11: the base of occupancy and RevPAR, rooms that are not out of order. */
export function available({ rooms, outOfOrder }: Pick<Totals, 'rooms' | 'outOfOrder'>): number {
  return rooms - outOfOrder;
}

/** Sold of available. More than 10000 when more is sold than there is. */
export function occupancyOf(totals: Pick<Totals, 'rooms' | 'outOfOrder' | 'sold'>): number | null {
  return share(totals.sold, available(totals));
}

/** ADR: net room revenue of a currency by room nights sold in it, in minor units. */
export function averageRate({ roomNet, rooms }: Pick<MoneyTotals, 'roomNet' | 'rooms'>): bigint | null {
  return quotient(roomNet, rooms);
}

/** RevPAR: net room revenue of a currency by all available room nights, in minor units. */
export function revenuePerRoom(
  { roomNet }: Pick<MoneyTotals, 'roomNet'>,
  base: Pick<Totals, 'rooms' | 'outOfOrder'>,
): bigint | null {
  return quotient(roomNet, available(base));
}

/** Bookings that were to arrive and were cancelled, of all that were to arrive. */
export function cancellationRate({ arriving, arrivingCancelled }: Totals): number | null {
  return share(arrivingCancelled, arriving);
}

/** Bookings that did not come, of those that were to arrive and were not cancelled. */
export function noShowRate({ arriving, arrivingCancelled, arrivingNoShow }: Totals): number | null {
  return share(arrivingNoShow, arriving - arrivingCancelled);
}

/** Nights per room of the stays that begin in these days, in hundredths. */
export function lengthOfStay({ stayNights, stays }: Totals): number | null {
  return mean(stayNights, stays);
}

/** Days from booking to arrival of the stays that begin in these days, in hundredths. */
export function leadTime({ leadDays, arriving, arrivingCancelled, arrivingNoShow }: Totals): number | null {
  return mean(leadDays, arriving - arrivingCancelled - arrivingNoShow);
}

/** Days `[from, until)`. */
export type Period = { readonly from: LocalDate; readonly until: LocalDate };

/** What a period can be compared with. */
export const comparisons = ['previous_period', 'last_year'] as const;
export type Comparison = (typeof comparisons)[number];

/** As many days just before, or the same weekdays 52 weeks before: Fridays are compared with Fridays. */
export function comparedPeriod({ from, until }: Period, against: Comparison): Period {
  const back = against === 'last_year' ? 364 : daysBetween(from, until);
  return { from: addDays(from, -back), until: addDays(until, -back) };
}

/** How much more than before, in hundredths of a percent; null where there was nothing before. */
export function growth(now: bigint | number | null, before: bigint | number | null): number | null {
  if (now === null || before === null) return null;
  return share(BigInt(now) - BigInt(before), before);
}
