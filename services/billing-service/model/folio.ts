import type { CurrencyCode } from '@ghasi/domain-primitives/currencies';
import type { Id } from '@ghasi/domain-primitives/ids';
import type { paymentPurposes } from '@melmastoon/payment-gateway-service/contract';
import type { closingOccasions } from '../contract.ts';
import { type Balances, balanceOf, sumOf } from './accounts.ts';

/** `prepared`: money came before the booking was confirmed; nobody has heard of the folio. */
export const statuses = ['prepared', 'open', 'closed'] as const;
export type Status = (typeof statuses)[number];

/** How far the stay is, as billing heard. */
export const stages = ['expected', 'in_house', 'leaving', 'left', 'cancelled', 'no_show'] as const;
export type Stage = (typeof stages)[number];

/** Which stage may follow which; backwards by an undo (R17, R18). */
export const nextStages: Readonly<Record<Stage, readonly Stage[]>> = {
  expected: ['in_house', 'leaving', 'cancelled', 'no_show'],
  in_house: ['leaving', 'expected'],
  leaving: ['left'],
  left: [],
  cancelled: ['expected'],
  no_show: ['expected', 'in_house'],
};

/** How a guest pays. */
export const rails = ['card', 'paypal', 'mobile_money', 'cash', 'cash_pending'] as const;
export type Rail = (typeof rails)[number];

/** Life of a payment as far as billing cares; `over`: it failed, or another took its place. */
export const paymentStates = ['asked', 'promised', 'captured', 'over'] as const;

/** R23: a deposit is held, and ends once. */
export const depositStates = ['held', 'applied', 'refunded', 'forfeited'] as const;
export type DepositEnd = Exclude<(typeof depositStates)[number], 'held'>;

/** A payment of the folio's guest. */
export type Payment = {
  readonly id: Id<'pay'>;
  readonly purpose: (typeof paymentPurposes)[number];
  readonly rail: Rail;
  readonly state: (typeof paymentStates)[number];
  /** What was asked for, promised, or came. */
  readonly amount: bigint;
  /** What of it the folio says went back; never more than came (R22). */
  readonly refunded: bigint;
  /** Null: it was paid for what was owed. */
  readonly deposit: (typeof depositStates)[number] | null;
  readonly version: number;
};

/** A part of a folio that somebody pays; the first is the guest's. */
export type Split = {
  readonly number: number;
  readonly payer: 'guest' | 'company';
  /** Who the company is; null for the guest. */
  readonly name: string | null;
};

/** What can be routed to another split, for lines to come (R22). */
export const routedKinds = ['rooms', 'fees', 'services', 'consumptions'] as const;
export type Routed = (typeof routedKinds)[number];
export type Routes = { readonly [kind in Routed]?: number };

/** Most splits of a folio. */
export const MOST_SPLITS = 9;

/** The bill of a stay: what is known of the booking, and what stands on its accounts. */
export type Folio = {
  readonly id: Id<'fol'>;
  readonly reservationId: Id<'rsv'>;
  readonly propertyId: Id<'pro'>;
  /** Null while it is prepared. */
  readonly guestId: Id<'gst'> | null;
  readonly locale: 'en' | 'ps' | 'fa-AF';
  readonly currency: CurrencyCode;
  readonly status: Status;
  readonly stage: Stage;
  readonly rail: Rail | null;
  readonly quoteId: Id<'quo'> | null;
  readonly bookingVersion: number;
  readonly deltaVersion: number;
  /** Of an ended booking: from this hotel day on nobody can undo it. */
  readonly closableFrom: string | null;
  readonly splits: readonly Split[];
  readonly routes: Routes;
  readonly occasion: (typeof closingOccasions)[number] | null;
  readonly openedOn: string | null;
  readonly closedOn: string | null;
  readonly version: number;
  readonly balances: Balances;
  readonly payments: readonly Payment[];
};

/** A folio nobody has heard of, before its first line. */
export function prepared(
  of: Pick<Folio, 'id' | 'reservationId' | 'propertyId' | 'currency'>,
): Omit<Folio, 'version'> & { version: 0 } {
  return {
    ...of,
    guestId: null,
    locale: 'en',
    status: 'prepared',
    stage: 'expected',
    rail: null,
    quoteId: null,
    bookingVersion: 0,
    deltaVersion: 0,
    closableFrom: null,
    splits: [{ number: 1, payer: 'guest', name: null }],
    routes: {},
    occasion: null,
    openedOn: null,
    closedOn: null,
    version: 0,
    balances: new Map(),
    payments: [],
  };
}

/** Where a line of this kind goes. */
export function splitFor({ routes }: Folio, kind: Routed): number {
  return routes[kind] ?? 1;
}

/** What the guest owes over all splits; below zero the house owes him. */
export function owed({ balances }: Pick<Folio, 'balances'>): bigint {
  return sumOf(balances, 'guest');
}

/** What one split owes. */
export function owedBy({ balances }: Pick<Folio, 'balances'>, split: number): bigint {
  return balanceOf(balances, `guest:${split}`);
}

/** Deposits that wait for their end. */
export function held({ payments }: Pick<Folio, 'payments'>): Payment[] {
  return payments.filter(({ deposit }) => deposit === 'held');
}

/** What those deposits come to. */
export function heldAmount(folio: Pick<Folio, 'payments'>): bigint {
  return held(folio).reduce((sum, { amount }) => sum + amount, 0n);
}

/** What is asked for or promised already and has not come. */
export function underWay({ payments }: Pick<Folio, 'payments'>): bigint {
  return payments
    .filter(({ state }) => state === 'asked' || state === 'promised')
    .reduce((sum, { amount }) => sum + amount, 0n);
}

/** Everything charged, paid and given back so far; charges and refunds less payments are what is owed. */
export function totals(folio: Folio): { charges: bigint; payments: bigint; refunds: bigint } {
  const { balances } = folio;
  const kinds = ['revenue', 'tax', 'unearned', 'unearned_tax'] as const;
  const charges = -kinds.reduce((sum, kind) => sum + sumOf(balances, kind), 0n);
  const refunds = folio.payments.reduce((sum, { refunded }) => sum + refunded, 0n);
  return { charges, refunds, payments: charges + refunds - owed(folio) };
}
