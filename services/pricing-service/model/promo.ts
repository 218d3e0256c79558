import type { Id } from '@ghasi/domain-primitives/ids';
import type { LocalDate } from '@ghasi/domain-primitives/local-date';
import { divideRounded } from '@ghasi/domain-primitives/rounding';
import { nights, type Stay } from '@ghasi/domain-primitives/stay';
import type { RefusalReason } from '../contract/questions.ts';
import type { PromoValues } from '../contract/resources.ts';
import { splitWithin, total } from './split.ts';

/** A promo code as a quote meets it. */
export type Promo = { code: string; values: PromoValues; uses: number };

/** Why a code does not help a booking; undefined when it does for at least one of its plans. */
export function promoRefusal(
  promo: Promo | undefined,
  { stay, plans, today }: { stay: Stay; plans: readonly Id<'rpl'>[]; today: LocalDate },
): RefusalReason | undefined {
  if (promo === undefined) return 'promo_unknown';
  const { values } = promo;
  const within = (date: LocalDate, from: string, until: string | null) =>
    from <= date && (until === null || date <= until);
  if (!within(today, values.bookFrom, values.bookUntil)) return 'promo_not_valid';
  if (!within(stay.arrival, values.stayFrom, values.stayUntil)) return 'promo_not_valid';
  if (nights(stay) < values.minNights) return 'promo_not_valid';
  if (!plans.some(plan => isFor(promo, plan))) return 'promo_not_valid';
  if (values.mostUses !== null && promo.uses >= values.mostUses) return 'promo_used_up';
  return undefined;
}

/** True when the code is good for a plan. */
export function isFor({ values }: Promo, plan: Id<'rpl'>): boolean {
  return values.ratePlanIds === null || values.ratePlanIds.includes(plan);
}

/** How much of each of these prices the code takes off: counted once over all of them, never below zero. */
export function discounts({ values }: Promo, prices: readonly bigint[]): bigint[] {
  const whole = total(prices);
  const wanted =
    values.kind === 'percent'
      ? divideRounded(whole * BigInt(values.basisPoints), 10_000n, 'half-up')
      : BigInt(values.amount.amount);
  return splitWithin(wanted < whole ? wanted : whole, prices);
}
