import type { Id } from '@ghasi/domain-primitives/ids';
import type { MoneyJson } from '@ghasi/domain-primitives/money';
import {
  type cancelReasons,
  type channels,
  type deadlineKinds,
  type KeyWindow,
  type Payment,
  type Policies,
  type PricedRoom,
  reservationStatuses,
  type TaxedPrice,
} from './contract/booking-parts.ts';
import {
  atLeastZero,
  least,
  minus,
  nothingOf,
  owedFor,
  paidForNights,
  plus,
  withPaid,
} from './model/owed.ts';

/** A booking begins as a draft nobody else hears of; with the guest's "pay" it becomes a hold (SAGA-14). */
export const statuses = ['draft', ...reservationStatuses] as const;
export type Status = (typeof statuses)[number];

export const sagaKinds = ['booking', 'check_in', 'check_out', 'date_change'] as const;
export const sagaOutcomes = ['success', 'compensated', 'partial'] as const;
export type SagaOutcome = (typeof sagaOutcomes)[number];

/** Folio, key and welcome have so long (SAGA-39). */
export const CHECK_IN_MS = 30_000;
/** Billing has so long to close the folio. */
export const CHECK_OUT_MS = 60_000;
/** Inventory and pricing have so long to agree to other dates. */
export const DATE_CHANGE_MS = 60_000;
/** Inventory has so long to say whether there is room (SAGA-24). */
export const ALLOCATE_MS = 30_000;
/** The guest has so long to pay (SAGA-15), unless the installation says otherwise. */
export const HOLD_MS = 600_000;

/** Which state can follow which (SAGA-57, README). */
export const next: Readonly<Record<Status, readonly Status[]>> = {
  draft: ['held'],
  held: ['confirmed', 'confirmed_cash_pending', 'cancelled'],
  confirmed: ['cancelled', 'no_show', 'check_in_partial', 'checked_in'],
  confirmed_cash_pending: ['confirmed', 'cancelled', 'no_show', 'check_in_partial', 'checked_in'],
  check_in_partial: ['checked_in'],
  // Back to confirmed only by an undo on the same hotel day (R18).
  checked_in: ['checked_out', 'checked_out_balance_pending', 'confirmed', 'confirmed_cash_pending'],
  checked_out_balance_pending: ['checked_out'],
  checked_out: [],
  cancelled: ['held'], // an undo asks inventory and payment anew (R18)
  no_show: ['confirmed', 'confirmed_cash_pending'], // he came after all (R17)
};

export type { PricedRoom } from './contract/booking-parts.ts';

/** What guest and house agreed on, and how far it came. */
export type Agreed = {
  readonly channel: (typeof channels)[number];
  readonly bookingDraftId: Id<'bdr'> | null;
  /** What the guest wrote when he booked; stays in this service, it may say who he is. */
  readonly requests?: string | null;
  readonly quoteId: Id<'quo'>;
  readonly rooms: readonly PricedRoom[];
  readonly total: TaxedPrice;
  readonly policies: Policies;
  readonly keyWindow: KeyWindow;
  readonly payment: Payment;
  /** What was asked for changing its dates, on top of the nights; missing: nothing. */
  readonly changeFees?: MoneyJson;
  readonly dueNow: MoneyJson;
  /** What the policy asks of a guest who does not come (R17). */
  readonly noShowFee: MoneyJson;
  /** Until when the house keeps the rooms of a guest who did not come; null: not at all (R17). */
  readonly noShowKeptUntil?: string | null;
  /** Null until it is held. */
  readonly expiresAt: string | null;
  readonly allocateBy: string | null;
  readonly allocationId: Id<'alc'> | null;
  /** Money that was heard of before the rooms were: events of two services have no order among them. */
  readonly early: Capture | null;
  readonly keptUntil: string | null;
  /** The folio of the stay, once billing has opened it. */
  readonly folioId: Id<'fol'> | null;
  /** Keys that open a door now. */
  readonly keyCredentialIds: readonly Id<'key'>[];
  /** The welcome is on its way. */
  readonly isWelcomed: boolean;
  /** Dates that were asked for and are not agreed yet; null: none (SAGA-13). */
  readonly wanted: WantedDates | null;
  /** How it ended before its stay; kept so that it can be undone on the same terms (R18). */
  readonly ended?: Ended | null;
  /** The hotel day of the check-in. */
  readonly inSince?: string | null;
  /** A walk-in stands at the desk: his check-in begins as soon as the rooms are his. Null: not a walk-in. */
  readonly arrivesOn?: string | null;
};

/** The end of a booking before its stay. */
export type Ended = {
  readonly before: Status;
  readonly reason: (typeof cancelReasons)[number] | 'no_show';
  /** The hotel day that closed without him; null for a cancellation. */
  readonly closedDate: string | null;
  readonly refund: MoneyJson;
};

/** Other dates for a booking, with the hours a key would have. */
export type WantedDates = {
  readonly stay: Reservation['stay'];
  readonly keyWindow: Agreed['keyWindow'];
};

/** A booking. */
export type Reservation = Agreed & {
  readonly id: Id<'rsv'>;
  readonly code: string;
  readonly propertyId: Id<'pro'>;
  readonly guestId: Id<'gst'>;
  readonly locale: 'en' | 'ps' | 'fa-AF';
  readonly status: Status;
  readonly stay: { readonly arrival: string; readonly departure: string };
  readonly version: number;
};

/** True if one state may follow the other. */
export function mayBecome(from: Status, to: Status): boolean {
  return next[from].includes(to);
}

/** The guest pays: rooms are asked for. */
export function hold(draft: Reservation, now: Date, holdMs = HOLD_MS): Reservation {
  const allocateBy = new Date(now.getTime() + ALLOCATE_MS).toISOString();
  const expiresAt = new Date(now.getTime() + holdMs).toISOString();
  return changed({ ...draft, status: 'held', allocateBy, expiresAt });
}

/** Inventory has set the rooms aside. */
export function allocated(held: Reservation, allocationId: Id<'alc'>): Reservation {
  return changed({ ...held, allocationId });
}

/** What payment says: money came, or the guest promised to bring it. */
export type Capture =
  | { readonly rail: 'cash_pending'; readonly paymentId: Id<'pay'>; readonly keptUntil: string | null }
  | {
      readonly rail: Exclude<Payment['rail'], 'cash_pending'>;
      /** Null: nothing was due, so nobody was asked for money. */
      readonly paymentId: Id<'pay'> | null;
      readonly amount: MoneyJson;
    };

/** The rooms are the guest's. With cash on arrival nothing is paid yet, whatever was "captured". */
export function confirm(held: Reservation, capture: Capture): Reservation {
  const { rail } = capture;
  const paymentId = capture.paymentId ?? held.payment.paymentId;
  if (capture.rail === 'cash_pending') {
    const payment = { ...held.payment, rail: capture.rail, paymentId };
    return changed({
      ...held,
      status: 'confirmed_cash_pending',
      payment,
      keptUntil: capture.keptUntil,
      early: null,
    });
  }
  const payment: Payment = {
    ...withPaid(held, plus(held.payment.paid, capture.amount)),
    ...{ rail, paymentId },
  };
  return changed({ ...held, status: 'confirmed', payment, early: null });
}

/** Cash that was promised has been counted (SAGA-27). */
export function cashArrived(pending: Reservation, amount: MoneyJson): Reservation {
  const payment = withPaid(pending, plus(pending.payment.paid, amount)); // the bar may have been paid with it
  const isSettled = pending.status === 'confirmed_cash_pending' && payment.outstanding.amount === '0';
  return changed({
    ...pending,
    status: isSettled ? 'confirmed' : pending.status,
    payment: { ...payment, rail: isSettled ? 'cash' : payment.rail },
    keptUntil: isSettled ? null : pending.keptUntil,
  });
}

/** Why and on what terms a booking ends. */
export type Ending = {
  readonly reason: (typeof cancelReasons)[number];
  readonly deadlineKind: (typeof deadlineKinds)[number] | null;
  /** What the policy keeps and gives back of what was paid; nothing of either for a hold. */
  readonly terms?: { readonly fee: MoneyJson; readonly refund: MoneyJson };
};

/** It is over before it began. */
export function cancel(booking: Reservation, { reason, terms }: Ending): Reservation {
  const refund = terms?.refund ?? nothingOf(booking);
  const ended: Ended = { before: booking.status, reason, closedDate: null, refund };
  return changed({ ...booking, status: 'cancelled', ended, wanted: null });
}

/** The guest would like other dates; until everybody has agreed the old ones hold (SAGA-55). */
export function askForDates(booking: Reservation, wanted: WantedDates): Reservation {
  return changed({ ...booking, wanted });
}

/** There is no room on those dates: everything stays as it was. */
export function keepDates(booking: Reservation): Reservation {
  return changed({ ...booking, wanted: null });
}

/** What pricing made of the new dates: the price of each night that is slept. */
export type Repriced = {
  readonly newQuoteId: Id<'quo'>;
  readonly newTotal: TaxedPrice;
  readonly fee: MoneyJson;
  readonly nights: readonly {
    readonly bookedRoomId: string;
    readonly date: string;
    readonly change: string;
    readonly price: TaxedPrice;
  }[];
};

/** The new dates hold, at their new price; what was paid above it goes back. */
export function moveTo(booking: Reservation, { stay, keyWindow }: WantedDates, price: Repriced): Reservation {
  const nightsOf = (bookedRoomId: string) =>
    price.nights
      .filter(night => night.bookedRoomId === bookedRoomId && night.change !== 'removed')
      .map(({ date, price: one }) => ({ date, price: one }))
      .sort((a, b) => (a.date < b.date ? -1 : 1));
  const rooms = booking.rooms.map(room => ({ ...room, stay, nights: nightsOf(room.bookedRoomId) }));
  const changeFees = plus(booking.changeFees ?? nothingOf(booking), price.fee);
  const repriced = { ...booking, total: price.newTotal, changeFees };
  return changed({
    ...repriced,
    ...{ stay, keyWindow, rooms, wanted: null, quoteId: price.newQuoteId },
    payment: withPaid(repriced, least(booking.payment.paid, owedFor(repriced))),
  });
}

/** The day of arrival closed without the guest: rooms go back, the fee is kept of what was paid (R17). */
export function noShow(
  booking: Reservation,
  closedDate: string,
): { booking: Reservation; fee: MoneyJson; refund: MoneyJson } {
  const refund = atLeastZero(minus(paidForNights(booking), booking.noShowFee));
  const ended: Ended = { before: booking.status, reason: 'no_show', closedDate, refund };
  return {
    booking: changed({ ...booking, status: 'no_show', ended, wanted: null }),
    fee: booking.noShowFee,
    refund,
  };
}

/** What a guest needs before he is in (SAGA-35..38). */
export const checkInSteps = ['folio', 'key', 'welcome'] as const;
export type CheckInStep = (typeof checkInSteps)[number];

/** The steps of a check-in that are not done. Whatever was there before counts. */
export function missingForCheckIn(booking: Reservation): CheckInStep[] {
  const isDone = {
    folio: booking.folioId !== null,
    key: booking.keyCredentialIds.length >= booking.rooms.length,
    welcome: booking.isWelcomed,
  };
  return checkInSteps.filter(step => !isDone[step]);
}

/** Why somebody cannot check in, or undefined (R14). Each reason has its own code. */
export function checkInProblem(
  booking: Reservation,
  businessDate: string,
): 'NOT_CONFIRMED' | 'ARRIVES_LATER' | 'ROOM_NOT_ASSIGNED' | undefined {
  if (booking.status !== 'confirmed' && booking.status !== 'confirmed_cash_pending') return 'NOT_CONFIRMED';
  if (booking.stay.arrival > businessDate) return 'ARRIVES_LATER';
  return booking.rooms.some(({ roomId }) => roomId === null) ? 'ROOM_NOT_ASSIGNED' : undefined;
}

/** The same booking in another state, or with something learnt; one version later. */
export function after(booking: Reservation, change: Partial<Reservation>): Reservation {
  return changed({ ...booking, ...change });
}

/** One version later. */
export function changed(booking: Reservation): Reservation {
  return { ...booking, version: booking.version + 1 };
}
