import { minutes, seconds } from '@ghasi/domain-primitives/duration';
import { coreErrors } from '@ghasi/domain-primitives/errors';
import type { Money } from '@ghasi/domain-primitives/money';
import {
  type failureReasons,
  type paymentPurposes,
  paymentStatuses,
  type refundReasons,
} from './contract.ts';
import { errors } from './errors.ts';

/** How a guest pays. */
export const rails = ['card', 'paypal', 'mobile_money', 'cash', 'cash_pending'] as const;
export type Rail = (typeof rails)[number];
export type ProviderRail = Exclude<Rail, 'cash' | 'cash_pending'>;

/** True where somebody outside the house moves the money. */
export function isProviderRail(rail: Rail): rail is ProviderRail {
  return rail !== 'cash' && rail !== 'cash_pending';
}

/**
 * Life of an intent. `unknown`: a provider was asked to do something and did not answer. `failed` and `cancelled` are
 * ours; the provider may not have heard, so money can still arrive.
 */
export const intentStatuses = paymentStatuses;
export type IntentStatus = (typeof intentStatuses)[number];

/** Which state may follow which. Money that came stays: nothing follows `captured`. */
export const nextStatuses: Readonly<Record<IntentStatus, readonly IntentStatus[]>> = {
  created: ['pending', 'unknown', 'promised', 'captured', 'failed', 'cancelled'],
  pending: ['unknown', 'captured', 'failed', 'cancelled'],
  unknown: ['pending', 'captured', 'failed', 'cancelled'],
  promised: ['captured', 'cancelled'],
  captured: [],
  failed: ['captured'],
  cancelled: ['captured'],
};

/** Somebody may still pay it (R24: one of these per reservation and purpose). */
export const openStatuses = ['created', 'pending', 'unknown', 'promised'] as const;

/** True while somebody may still pay it. */
export function isOpen(status: IntentStatus): boolean {
  return (openStatuses as readonly IntentStatus[]).includes(status);
}

/** Refuses a step that the table of transitions does not have. */
export function assertNext(from: IntentStatus, to: IntentStatus): void {
  if (!nextStatuses[from].includes(to)) throw errors.INTENT_TRANSITION_REFUSED({ from, to });
}

/** Life of a refund; `at_desk` waits for somebody to hand out notes. */
export const refundStatuses = ['requested', 'unknown', 'at_desk', 'completed', 'failed'] as const;
export type RefundStatus = (typeof refundStatuses)[number];

export const ledgerKinds = ['capture', 'refund', 'float', 'cash_in', 'cash_out', 'variance'] as const;
export const noticeKinds = ['captured', 'refunded', 'changed'] as const;
export const drawerStatuses = ['open', 'counted', 'closed'] as const;
export const journalEntries = [
  'refund.not_due',
  'refund.failed',
  'refund.beyond_captures',
  'capture.mismatch',
  'capture.late',
  'capture.partial_cash',
  'nothing.due',
] as const;

export type Purpose = (typeof paymentPurposes)[number];
export type FailureReason = (typeof failureReasons)[number];
export type RefundReason = (typeof refundReasons)[number];

/** What a provider says about one of our intents. `absent`: it has never heard of it. */
export type Standing =
  | { readonly state: 'pending'; readonly redirectUrl?: string }
  | { readonly state: 'captured'; readonly reference: string; readonly amount: Money }
  | { readonly state: 'failed'; readonly reason: FailureReason; readonly providerCode: string | null }
  | { readonly state: 'cancelled' }
  /** Cash: nobody has it yet, and nobody else needs to be asked. */
  | { readonly state: 'promised' }
  | { readonly state: 'absent' };

/** What is known of an intent when the provider speaks. */
export type Facing = {
  readonly status: IntentStatus;
  readonly amount: Money;
  /** The booking is over, or somebody closed this intent: money that comes now goes back. */
  readonly unwanted: boolean;
};

/** What to do about it. */
export type Settlement =
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'pending'; readonly redirectUrl?: string }
  | { readonly kind: 'captured'; readonly reference: string; readonly late: boolean }
  | { readonly kind: 'mismatch'; readonly reference: string; readonly said: Money }
  | { readonly kind: 'failed'; readonly reason: FailureReason; readonly providerCode: string | null }
  | { readonly kind: 'closed' };

/** Decides what a provider's word changes. What was captured stays; a failure after it is old news. */
export function settle({ status, amount, unwanted }: Facing, said: Standing): Settlement {
  if (status === 'captured') return { kind: 'unchanged' };
  if (said.state === 'captured') {
    const fits = said.amount.currency === amount.currency && said.amount.minor === amount.minor;
    if (!fits) return { kind: 'mismatch', reference: said.reference, said: said.amount };
    const late = unwanted || !isOpen(status);
    return { kind: 'captured', reference: said.reference, late };
  }
  if (!isOpen(status)) return said.state === 'pending' ? { kind: 'unchanged' } : { kind: 'closed' };
  if (said.state === 'failed')
    return { kind: 'failed', reason: said.reason, providerCode: said.providerCode };
  if (said.state === 'cancelled') return { kind: 'failed', reason: 'abandoned', providerCode: null };
  if (said.state === 'pending') return { kind: 'pending', ...pick(said.redirectUrl) };
  return { kind: 'unchanged' }; // absent while open: it is opened again with the same key
}

function pick(redirectUrl: string | undefined) {
  return redirectUrl === undefined ? {} : { redirectUrl };
}

/** A booking as far as the question "is it time to ask for money?" goes. */
export type Waiting = {
  readonly heldVersion: number | null;
  readonly allocatedVersion: number | null;
  readonly ended: string | null;
};

/** SAGA-17: the hold and its allocation were both seen, in either order, and the booking still lives. */
export function isPayable({ heldVersion, allocatedVersion, ended }: Waiting): boolean {
  if (ended !== null || heldVersion === null || allocatedVersion === null) return false;
  return allocatedVersion >= heldVersion;
}

/** A captured payment, as far as giving back goes. */
export type Refundable = { readonly id: string; readonly captured: bigint; readonly refunded: bigint };

/** Spreads a refund over the payments, newest first; `short` is what they do not hold. */
export function spreadRefund(
  wanted: bigint,
  newestFirst: readonly Refundable[],
): { parts: { id: string; amount: bigint }[]; short: bigint } {
  let left = wanted;
  const parts: { id: string; amount: bigint }[] = [];
  for (const { id, captured, refunded } of newestFirst) {
    const free = captured - refunded;
    const amount = free < left ? free : left;
    if (amount <= 0n) continue;
    parts.push({ id, amount });
    left -= amount;
  }
  return { parts, short: left };
}

/** What is left to give back of a payment; refuses more than that. */
export function assertRefundable(payment: Refundable & { currency: string }, amount: Money): void {
  if (payment.captured === 0n) throw errors.NOT_CAPTURED();
  if (amount.currency !== payment.currency) throw errors.CURRENCY_DIFFERS({ currency: payment.currency });
  const left = payment.captured - payment.refunded;
  if (amount.minor > left)
    throw errors.REFUND_EXCEEDS_CAPTURE({ left: String(left), currency: payment.currency });
}

/** Seconds between two questions to a provider; the last one goes on for ever, so nothing is stuck over ten minutes. */
const checkSeconds = [2, 5, 10, 20, 30, 60, 120, 300] as const;

/** When to ask the provider again after so many questions. */
export function nextCheck(checks: number, now: Date): Date {
  const wait = checkSeconds[Math.min(checks, checkSeconds.length - 1)] ?? 300;
  return new Date(now.getTime() + seconds(wait));
}

/** When to ask again after an answer that ends nothing. What somebody asked for while the provider was answering stays. */
export function askAgainAt(
  { nextCheckAt, checks }: { readonly nextCheckAt: Date | null; readonly checks: number },
  { lease, now }: { readonly lease: Date | undefined; readonly now: Date },
): Date {
  const isAskedFor = lease !== undefined && nextCheckAt !== null && nextCheckAt < lease;
  return isAskedFor ? nextCheckAt : nextCheck(checks, now);
}

/** How long a worker has an intent for itself before another may ask: longer than every timeout together. */
export const checkLeaseMs = minutes(1);

/** Fails loudly where a row must be there because we hold its id. */
export function found<T>(row: T | undefined, entity: string): T {
  if (row === undefined) throw coreErrors.NOT_FOUND({ entity });
  return row;
}
