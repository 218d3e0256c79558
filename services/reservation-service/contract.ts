import { defineEvent } from '@melmastoon/catalog/define-event';
import { isOncePer, keyWindow, taxedPrice } from '@melmastoon/catalog/hotel-parts';
import { idText, instant, localDate, price, stay } from '@melmastoon/catalog/parts';
import { z } from 'zod';
import {
  bookedRoom,
  booking,
  bookingChanges,
  cancelReasons,
  dateChangeReasons,
  deadlineKinds,
  head,
  isPaidOrOwed,
  isSumOfNights,
  keyOf,
  occupiedRoom,
  payment,
  policies,
  reservationStatuses,
  rooms,
  sale,
  specialRequests,
} from './contract/booking-parts.ts';

/** Rooms are held for a guest who is about to pay; inventory allocates them, payment waits for both (SAGA-15). */
export const BookingHeld = defineEvent({
  ...booking,
  subject: 'melmastoon.reservation.booking.held.v1',
  summary: 'an inventory hold was placed',
  payload: z
    .strictObject({
      ...head,
      ...sale,
      payment,
      /** What the guest pays now; zero for cash on arrival. */
      dueNow: price,
      /** Without an allocation by then the hold is cancelled. */
      allocateBy: instant,
      /** Without a payment by then the hold is cancelled. */
      expiresAt: instant,
    })
    .refine(isSumOfNights, 'its nights do not make its total')
    .refine(isPaidOrOwed, 'paid and outstanding do not make its total')
    .refine(
      ({ payment, dueNow }) => payment.rail !== 'cash_pending' || dueNow.amount === '0',
      'cash on arrival is not due now',
    ),
  idempotencyKey: keyOf('held'),
});

/** The rooms are the guest's: folio, key, confirmation and availability follow (SAGA-18..23). */
export const BookingConfirmed = defineEvent({
  ...booking,
  subject: 'melmastoon.reservation.booking.confirmed.v1',
  summary: 'a booking was confirmed, after payment or as cash-pending',
  payload: z
    .strictObject({
      ...head,
      ...sale,
      status: z.enum(['confirmed', 'confirmed_cash_pending']),
      allocationId: idText('alc'),
      payment,
      /** Cash on arrival: how long the house keeps the rooms; null when they are guaranteed. */
      keptUntil: instant.nullable(),
    })
    .refine(isSumOfNights, 'its nights do not make its total')
    .refine(isPaidOrOwed, 'paid and outstanding do not make its total')
    .refine(
      ({ status, payment }) => (status === 'confirmed_cash_pending') === (payment.rail === 'cash_pending'),
      'cash on arrival is confirmed_cash_pending, and nothing else is (SAGA-27)',
    ),
  idempotencyKey: keyOf('confirmed'),
});

/** A booking ended before its stay; everybody undoes his own part (SAGA-29..33). */
export const BookingCancelled = defineEvent({
  ...booking,
  subject: 'melmastoon.reservation.booking.cancelled.v1',
  summary: 'a cancellation passed policy and was accepted',
  payload: z
    .strictObject({
      ...head,
      reason: z.enum(cancelReasons),
      /** Set only with `hold_expired`; null there means that inventory refused the hold (SAGA-28). */
      deadlineKind: z.enum(deadlineKinds).nullable(),
      /** A hold that lapsed was never announced to the guest as a booking. */
      previousStatus: z.enum(reservationStatuses),
      /** Null when the hold never got that far. */
      allocationId: idText('alc').nullable(),
      stay,
      rooms: rooms(bookedRoom),
      policies,
      paymentId: idText('pay').nullable(),
      /** What the policy gives back of what was paid. */
      refund: price,
      /** What the policy keeps. */
      fee: price,
    })
    .refine(
      ({ reason, deadlineKind }) => deadlineKind === null || reason === 'hold_expired',
      'only an expired hold has a deadlineKind',
    )
    .refine(({ refund, fee }) => refund.currency === fee.currency, 'refund and fee differ in currency'),
  idempotencyKey: keyOf('cancelled'),
});

/** A change other than dates; carries the booking as it is now, and what was before where a key or a room depends on it. */
export const BookingModified = defineEvent({
  ...booking,
  subject: 'melmastoon.reservation.booking.modified.v1',
  summary: 'something other than the dates of a booking changed',
  payload: z
    .strictObject({
      ...head,
      status: z.enum(reservationStatuses),
      changes: z.array(z.enum(bookingChanges)).min(1).refine(isOncePer(String), 'names a change twice'),
      previousGuestId: idText('gst'),
      stay,
      rooms: rooms(bookedRoom),
      /** Room changes, each from a night on: earlier nights stay where they were slept (R16). */
      moves: z.array(
        z.strictObject({
          bookedRoomId: idText('brm'),
          fromRoomId: idText('rom').nullable(),
          toRoomId: idText('rom').nullable(),
          fromNight: localDate,
        }),
      ),
      specialRequests: z.array(z.enum(specialRequests)),
      total: taxedPrice,
      keyWindow,
    })
    .refine(
      ({ changes, guestId, previousGuestId }) => changes.includes('guest') === (guestId !== previousGuestId),
      'says one thing about the guest and shows another',
    )
    .refine(
      ({ changes, moves }) => changes.includes('room_assignment') === moves.length > 0,
      'a room assignment has moves, and nothing else has',
    ),
  idempotencyKey: keyOf('modified'),
});

/** The stay moved; only inventory acts on it, the others wait for `allocation.reallocated`. */
export const BookingDatesChanged = defineEvent({
  ...booking,
  subject: 'melmastoon.reservation.booking.dates_changed.v1',
  summary: 'the stay window of a booking changed',
  payload: z
    .strictObject({
      ...head,
      reason: z.enum(dateChangeReasons),
      allocationId: idText('alc'),
      /** The quote the price difference is computed against. */
      quoteId: idText('quo'),
      previousStay: stay,
      newStay: stay,
      rooms: rooms(
        z.strictObject({ ...bookedRoom.omit({ stay: true }).shape, previousStay: stay, newStay: stay }),
      ),
      keyWindow,
    })
    .refine(
      ({ previousStay: before, newStay: after }) =>
        before.arrival !== after.arrival || before.departure !== after.departure,
      'the dates are the same',
    ),
  idempotencyKey: keyOf('dates_changed'),
});

/** The desk began a check-in: folio, key and welcome message are due by the deadline (SAGA-35..39). */
export const BookingCheckInStarted = defineEvent({
  ...booking,
  subject: 'melmastoon.reservation.booking.check_in_started.v1',
  summary: 'the front desk began a check-in',
  payload: z.strictObject({
    ...head,
    businessDate: localDate,
    deadlineAt: instant,
    stay,
    rooms: rooms(occupiedRoom),
    total: taxedPrice,
    payment,
    keyWindow,
  }),
  idempotencyKey: keyOf('check_in_started'),
});

/** The guest is in the house: folio open, key issued, welcome sent (SAGA-38). */
export const BookingCheckedIn = defineEvent({
  ...booking,
  subject: 'melmastoon.reservation.booking.checked_in.v1',
  summary: 'a check-in finished',
  payload: z.strictObject({
    ...head,
    businessDate: localDate,
    checkedInAt: instant,
    stay,
    rooms: rooms(occupiedRoom),
    folioId: idText('fol'),
    keyCredentialIds: z.array(idText('key')).min(1),
    /** True when the deadline had passed and an operator finished it by hand. */
    afterPartial: z.boolean(),
  }),
  idempotencyKey: keyOf('checked_in'),
});

/** A check-in was taken back on the same hotel day: keys die, the room is vacant, the booking waits (R18). */
export const BookingCheckInUndone = defineEvent({
  ...booking,
  subject: 'melmastoon.reservation.booking.check_in_undone.v1',
  summary: 'a check-in was taken back',
  payload: z.strictObject({ ...head, businessDate: localDate, stay, rooms: rooms(occupiedRoom) }),
  idempotencyKey: keyOf('check_in_undone'),
});

/** The desk began a check-out: final charges first, then the key, whatever the balance (X-114, SAGA-49). */
export const BookingCheckOutStarted = defineEvent({
  ...booking,
  subject: 'melmastoon.reservation.booking.check_out_started.v1',
  summary: 'a check-out began',
  payload: z.strictObject({
    ...head,
    businessDate: localDate,
    deadlineAt: instant,
    stay,
    rooms: rooms(occupiedRoom),
    folioId: idText('fol'),
    timing: z.enum(['early', 'on_time', 'late']),
  }),
  idempotencyKey: keyOf('check_out_started'),
});

/** The guest has left; sent again when a pending balance is settled later. */
export const BookingCheckedOut = defineEvent({
  ...booking,
  subject: 'melmastoon.reservation.booking.checked_out.v1',
  summary: 'a check-out finished',
  payload: z
    .strictObject({
      ...head,
      businessDate: localDate,
      checkedOutAt: instant,
      stay,
      rooms: rooms(occupiedRoom),
      folioId: idText('fol'),
      status: z.enum(['checked_out', 'checked_out_balance_pending']),
      balanceStatus: z.enum(['settled', 'pending']),
      balance: price,
    })
    .refine(
      ({ balanceStatus, balance }) => (balanceStatus === 'settled') === (balance.amount === '0'),
      'a settled balance is zero, a pending one is not',
    )
    .refine(
      ({ status, balanceStatus }) => (status === 'checked_out') === (balanceStatus === 'settled'),
      'checked_out means settled (X-115)',
    ),
  idempotencyKey: keyOf('checked_out'),
});

/** The guest did not come: rooms go back, the fee follows the policy (R17). */
export const BookingNoShow = defineEvent({
  ...booking,
  subject: 'melmastoon.reservation.booking.no_show.v1',
  summary: 'a no-show was declared once its window expired',
  payload: z.strictObject({
    ...head,
    /** The hotel day that closed without the guest. */
    businessDate: localDate,
    /** Until when the rooms are still kept; null: they are free now. */
    keptUntil: instant.nullable(),
    allocationId: idText('alc'),
    stay,
    rooms: rooms(bookedRoom),
    policies,
    payment,
    fee: price,
    refund: price,
  }),
  idempotencyKey: keyOf('no_show'),
});

/** Every event of reservation-service. */
export const events = [
  BookingHeld,
  BookingConfirmed,
  BookingCancelled,
  BookingModified,
  BookingDatesChanged,
  BookingCheckInStarted,
  BookingCheckedIn,
  BookingCheckInUndone,
  BookingCheckOutStarted,
  BookingCheckedOut,
  BookingNoShow,
] as const;
