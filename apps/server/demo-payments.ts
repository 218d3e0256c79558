import type { Id } from '@ghasi/domain-primitives/ids';
import { type Chance, idAt } from './demo-chance.ts';
import type { DemoEnd, DemoExtra, DemoRail, Story } from './demo-story.ts';

/** Money that was asked for, and whether it came. */
export type DemoPayment = {
  readonly paymentId: Id<'pay'>;
  readonly purpose: 'booking' | 'deposit' | 'check_out';
  readonly rail: DemoRail;
  readonly amount: bigint;
  readonly askedAt: Date;
  /** Null: it has not come; a promise to bring it is open unless the booking has ended. */
  readonly paidAt: Date | null;
  readonly refund: { readonly refundId: Id<'rfd'>; readonly amount: bigint; readonly at: Date } | null;
};

type Paying = {
  readonly story: Story;
  readonly status: string;
  readonly total: bigint;
  readonly dueNow: bigint;
  readonly extra: DemoExtra | null;
  readonly end: DemoEnd | null;
  readonly words: string;
  readonly by: Chance;
};

const MINUTE = 60_000;

/** What was paid for a stay: ahead or as promised, and whatever was left when the guest went. */
export function paymentsOf({ story, status, total, dueNow, extra, end, words, by }: Paying): DemoPayment[] {
  const { rail, bookedAt, outAt } = story;
  const isPromise = rail === 'cash_pending';
  const amount = isPromise ? total : dueNow;
  const paidAt = isPromise ? broughtAt(story, by) : later(bookedAt, 2);
  const refundAt = end === null ? bookedAt : later(end.at, 5);
  const first: DemoPayment = {
    paymentId: idAt('pay', bookedAt, words),
    purpose: amount === total ? 'booking' : 'deposit',
    rail,
    amount,
    askedAt: bookedAt,
    paidAt,
    refund:
      end === null || end.refund === 0n
        ? null
        : { refundId: idAt('rfd', refundAt, words), amount: end.refund, at: refundAt },
  };
  if (status !== 'checked_out' || outAt === null) return [first];
  const left = total + (extra === null ? 0n : extra.net + extra.tax) - amount;
  if (left === 0n) return [first];
  const askedAt = later(outAt, -5);
  const rest: DemoPayment = {
    paymentId: idAt('pay', askedAt, `${words} rest`),
    purpose: 'check_out',
    rail: isPromise ? 'cash' : rail,
    amount: left,
    ...{ askedAt, paidAt: later(outAt, -2), refund: null },
  };
  return [first, rest];
}

/** When somebody who promised cash has brought it: most of them before they get their key, the others before they go. */
function broughtAt({ inAt, outAt }: Story, by: Chance): Date | null {
  const isFirstThing = by.percent(65);
  if (inAt !== null && isFirstThing) return later(inAt, -3);
  return outAt === null ? null : later(outAt, -20);
}

/** So many minutes after a moment. */
export function later(at: Date, minutes: number): Date {
  return new Date(at.getTime() + minutes * MINUTE);
}
