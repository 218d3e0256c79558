import { hours } from '@ghasi/domain-primitives/duration';
import type { Id } from '@ghasi/domain-primitives/ids';
import { addDays, type LocalDate } from '@ghasi/domain-primitives/local-date';
import { divideRounded } from '@ghasi/domain-primitives/rounding';
import { instantAt, type Zone } from '@ghasi/domain-primitives/zone';
import type { CancellationTerms, DepositTerms, Fee, NoShowTerms } from '../contract/resources.ts';
import type { guarantees } from '../contract.ts';
import type { Taxed } from './charges.ts';
import { total } from './split.ts';

/** A policy as it was when the guest agreed to it. */
export type FrozenPolicy<Terms> = {
  policyId: Id<'pol'>;
  version: number;
  name: { locale: 'en' | 'ps' | 'fa-AF'; text: string }[];
  terms: Terms;
};

/** The conditions of a quote. */
export type Policies = {
  cancellation: FrozenPolicy<CancellationTerms>;
  noShow: FrozenPolicy<NoShowTerms>;
  deposit: FrozenPolicy<DepositTerms> | null;
};

/** What fees are counted from: the nights of each room, in order. */
export type Priced = { nights: readonly { date: LocalDate; price: Taxed }[] };

/** A fee in minor units, never more than what it is taken of. */
export function feeOf(fee: Fee, rooms: readonly Priced[]): bigint {
  const grossOf = (most?: number) =>
    total(rooms.flatMap(({ nights }) => nights.slice(0, most).map(({ price }) => price.gross)));
  const whole = grossOf();
  switch (fee.kind) {
    case 'none':
      return 0n;
    case 'percent':
      return divideRounded(whole * BigInt(fee.basisPoints), 10_000n, 'half-up');
    case 'nights':
      return grossOf(fee.nights);
    case 'amount': {
      const amount = BigInt(fee.amount.amount);
      return amount < whole ? amount : whole;
    }
  }
}

/** Where and when a guest may come: deadlines count from this hour on the property's clock (R6). */
export type CheckIn = { zone: Zone; date: LocalDate; from: string };

/** A fee that holds until an instant; null: from the one before on. */
export type Deadline = { until: Date | null; fee: bigint };

/** The steps of the cancellation terms as instants and amounts, soonest deadline first. */
export function deadlines(terms: CancellationTerms, rooms: readonly Priced[], checkIn: CheckIn): Deadline[] {
  const comes = instantAt(checkIn.zone, checkIn.date, checkIn.from).getTime();
  const steps = terms.steps.map(({ hoursBefore, fee }) => ({
    until: new Date(comes - hours(hoursBefore)),
    fee: feeOf(fee, rooms),
  }));
  return [...steps, { until: null, fee: feeOf(terms.lateFee, rooms) }];
}

/** What cancelling costs at an instant; exactly at a deadline the better fee still holds. */
export function feeAt(steps: readonly Deadline[], at: Date): bigint {
  const step = steps.find(({ until }) => until === null || at.getTime() <= until.getTime());
  return step?.fee ?? 0n;
}

/** Until when cancelling costs nothing; null: it never does, or always. */
export function freeUntil(steps: readonly Deadline[]): Date | null {
  const free = steps.filter(({ fee, until }) => fee === 0n && until !== null);
  return free.at(-1)?.until ?? null;
}

/** Until when the room of a guest who did not come is kept: an hour of the day after arrival (R17). */
export function keptUntil({ keptUntil: hour }: NoShowTerms, { zone, date }: CheckIn): Date | null {
  return hour === null ? null : instantAt(zone, addDays(date, 1), hour);
}

/** Ways to pay at once. */
const atOnce = ['card', 'paypal', 'mobile_money', 'cash'] as const;

/** What a way to pay asks for now; the rest is paid at the house. */
export type Due = { rail: (typeof atOnce)[number] | 'cash_pending'; dueNow: bigint; dueLater: bigint };

/**
 * What is due now on each rail the plan allows. A promise to pay on arrival is a guarantee of plans that say so, and
 * asks for nothing now; whoever pays at once pays the deposit, or all of it where there is none.
 */
export function dueByRail(
  guarantee: (typeof guarantees)[number],
  gross: bigint,
  deposit: bigint | null,
): Due[] {
  const now = guarantee === 'prepaid' ? gross : (deposit ?? gross);
  const paying: Due[] = atOnce.map(rail => ({ rail, dueNow: now, dueLater: gross - now }));
  if (guarantee !== 'cash_on_arrival') return paying;
  return [{ rail: 'cash_pending', dueNow: 0n, dueLater: gross }, ...paying];
}
