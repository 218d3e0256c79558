import type { Id } from '@ghasi/domain-primitives/ids';
import type { refundReasons } from '@melmastoon/payment-gateway-service/contract';
import type { ChargeSource } from '../contract.ts';
import { type Account, balanceOf, type Entry, entries, least } from './accounts.ts';
import { type Folio, type Payment, type Routed, splitFor } from './folio.ts';

/** What a line can be. The first ones are charges: what the guest owes more, or less. */
export const chargeKinds = [
  'room_night',
  'date_change',
  'date_change_credit',
  'consumption',
  'fee',
  'service',
  'reversal',
] as const;
export const lineKinds = [
  ...chargeKinds,
  'deposit',
  'deposit_applied',
  'deposit_refunded',
  'deposit_forfeited',
  'payment',
  'refund',
  'refund_settled',
  'late_payment',
  'late_refund',
  'transfer',
] as const;
export type LineKind = (typeof lineKinds)[number];

export type { ChargeSource } from '../contract.ts';
export type RefundReason = (typeof refundReasons)[number];

/** A price and what is in it. */
export type Taxed = { readonly net: bigint; readonly tax: bigint };

/** One tax of an amount, by its code. */
export type TaxPart<Amount = bigint> = { readonly code: string; readonly amount: Amount };

/** Where a tax goes that nobody has named. */
export const UNNAMED_TAX = 'TAX';

/** A line that is not posted yet. `cause` names the thing: it lands once on a folio, whatever happens. */
export type NewLine = Taxed & {
  readonly kind: LineKind;
  readonly cause: string;
  readonly split: number;
  readonly entries: readonly Entry[];
  readonly source?: ChargeSource;
  readonly paymentId?: Id<'pay'>;
  readonly refundId?: Id<'rfd'>;
  readonly refundReason?: RefundReason;
  readonly reversedLineId?: Id<'fln'>;
  readonly text?: string;
};

/** A line as it stands in the ledger. */
export type Line = NewLine & {
  readonly id: Id<'fln'>;
  readonly position: number;
  /** What the guest owes after it, over all splits. */
  readonly balance: bigint;
  readonly businessDate: string;
  readonly occurredAt: Date;
  readonly recordedBy: string;
};

/** A line as it is read back: what was owed after it is a question of all lines before. */
export type StoredLine = Omit<Line, 'balance'>;

/** The frozen price of a night (R21). */
export type Night = Taxed & {
  readonly bookedRoomId: Id<'brm'>;
  readonly date: string;
  /** Its room's place in the booking. */
  readonly room: number;
  readonly taxes: readonly TaxPart[] | null;
  readonly posted: boolean;
};

/** A night that was slept. What a date change has charged ahead is taken from there and not charged again. */
export function nightLine(folio: Folio, night: Night): NewLine {
  const split = splitFor(folio, 'rooms');
  const ahead = chargedAhead(folio, split);
  const [net, tax] = [least(night.net, ahead.net), least(night.tax, ahead.tax)];
  const { bookedRoomId, date } = night;
  return {
    kind: 'room_night',
    cause: `night:${bookedRoomId}:${date}`,
    split,
    net: night.net - net,
    tax: night.tax - tax,
    source: { kind: 'room_night', bookedRoomId, date },
    entries: entries(
      [`guest:${split}`, night.net + night.tax - net - tax],
      [`unearned:${split}`, net],
      [`unearned_tax:${split}`, tax],
      ['revenue:rooms', -night.net],
      ...taxEntries(night.tax, night.taxes),
    ),
  };
}

/** What stands on a split for nights to come. */
export function chargedAhead({ balances }: Folio, split: number): Taxed {
  return {
    net: -balanceOf(balances, `unearned:${split}`),
    tax: -balanceOf(balances, `unearned_tax:${split}`),
  };
}

type Charge = Taxed & {
  readonly cause: string;
  readonly source: ChargeSource;
  readonly taxCode?: string | undefined;
  readonly text?: string | undefined;
  /** Where it goes; default: as routed. */
  readonly split?: number | undefined;
};

/** A consumption, a fee or something the desk sold. */
export function chargeLine(folio: Folio, charge: Charge): NewLine {
  const { net, tax, cause, source, text } = charge;
  const routed: Routed =
    source.kind === 'fee' ? 'fees' : source.kind === 'consumption' ? 'consumptions' : 'services';
  const split = charge.split ?? splitFor(folio, routed);
  const taxes = charge.taxCode === undefined ? null : [{ code: charge.taxCode, amount: tax }];
  return {
    ...{ kind: source.kind, cause, split, net, tax, source },
    ...(text === undefined ? {} : { text }),
    entries: entries(
      [`guest:${split}`, net + tax],
      [source.kind === 'fee' ? 'revenue:fees' : 'revenue:services', -net],
      ...taxEntries(tax, taxes),
    ),
  };
}

/** Takes a line back, in full: every side turned round (R22). */
export function reversalLine(line: StoredLine, text?: string): NewLine {
  const { id: reversedLineId, split, net, tax } = line;
  return {
    kind: 'reversal',
    cause: `reversal:${reversedLineId}`,
    ...{ split, net: -net, tax: -tax, reversedLineId },
    source: { kind: 'reversal', reversedLineId },
    ...(text === undefined ? {} : { text }),
    entries: line.entries.map(({ account, amount }) => ({ account, amount: -amount })),
  };
}

/** Moves what one split owes to another; nothing that was posted moves (R22). */
export function transferLine(of: { from: number; to: number; amount: bigint; cause: string }): NewLine {
  const { from, to, amount, cause } = of;
  return moneyLine('transfer', {
    cause,
    split: to,
    entries: entries([`guest:${to}`, amount], [`guest:${from}`, -amount]),
  });
}

/** A line that charges nothing. */
export function moneyLine(
  kind: LineKind,
  of: Pick<NewLine, 'cause' | 'entries'> & Partial<NewLine>,
): NewLine {
  return { split: 1, net: 0n, tax: 0n, ...of, kind };
}

/** Where the money of a payment is. */
export function moneyAt({ rail }: Pick<Payment, 'rail'>): Account {
  return `money:${rail === 'cash_pending' ? 'cash' : rail}`;
}

function taxEntries(tax: bigint, parts: readonly TaxPart[] | null): [Account, bigint][] {
  const named = parts?.reduce((sum, { amount }) => sum + amount, 0n) === tax ? parts : undefined;
  return (named ?? [{ code: UNNAMED_TAX, amount: tax }]).map(({ code, amount }) => [`tax:${code}`, -amount]);
}
