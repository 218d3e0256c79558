import { addDays, parseLocalDate } from '@ghasi/domain-primitives/local-date';
import { atLeastZero, minus, nothingOf, withPaid } from './model/owed.ts';
import { changed, hold, type Reservation, type Status } from './model.ts';

/** Why a cancellation cannot be undone, or undefined. A hold that lapsed was never a booking (R18). */
export function reinstateProblem(
  { status, ended, stay }: Reservation,
  businessDate: string,
): 'TRANSITION_REFUSED' | 'ARRIVAL_PASSED' | undefined {
  const wasWanted = ended?.reason === 'guest_request' || ended?.reason === 'operator_request';
  if (status !== 'cancelled' || !wasWanted) return 'TRANSITION_REFUSED';
  return stay.arrival < businessDate ? 'ARRIVAL_PASSED' : undefined;
}

/** R18: a cancelled booking is asked for anew. What the house kept counts as paid, what it gave back is owed again. */
export function reinstate(cancelled: Reservation, now: Date): Reservation {
  const { payment, ended } = withoutRefund(cancelled);
  const again = { allocationId: null, early: null, keyCredentialIds: [], isWelcomed: false, ended: null };
  const dueNow = ended?.before === 'confirmed' ? ended.refund : cancelled.dueNow; // what was never paid is still due
  return hold({ ...cancelled, ...again, payment, dueNow }, now);
}

/** Why a no-show cannot be undone, or undefined: only until the next day closes (R17). */
export function restoreProblem(
  { status, ended }: Reservation,
  businessDate: string,
): 'TRANSITION_REFUSED' | 'TOO_LATE_TO_UNDO' | undefined {
  if (status !== 'no_show' || ended?.closedDate == null) return 'TRANSITION_REFUSED';
  return addDays(parseLocalDate(ended.closedDate), 1) === businessDate ? undefined : 'TOO_LATE_TO_UNDO';
}

/** R17: he came after all. The booking is what it was; billing takes the fee back, what was given back is owed again. */
export function restore(missed: Reservation): Reservation {
  const { payment } = withoutRefund(missed);
  return changed({ ...missed, status: confirmedAs(payment), payment, ended: null });
}

/** Why a check-in cannot be undone, or undefined: the night of a guest who slept here is charged when the day closes. */
export function undoCheckInProblem(
  { status, inSince }: Reservation,
  businessDate: string,
): 'NOT_IN_HOUSE' | 'TOO_LATE_TO_UNDO' | undefined {
  if (status !== 'checked_in') return 'NOT_IN_HOUSE';
  return inSince === businessDate ? undefined : 'TOO_LATE_TO_UNDO';
}

/** The wrong guest was checked in: the booking waits for its guest again (R18). */
export function undoCheckIn(booking: Reservation): Reservation {
  return changed({ ...booking, status: confirmedAs(booking.payment), isWelcomed: false, inSince: null });
}

function confirmedAs({ rail }: Reservation['payment']): Status {
  return rail === 'cash_pending' ? 'confirmed_cash_pending' : 'confirmed';
}

/** The same booking once its refund has gone out. */
function withoutRefund(booking: Reservation): Reservation {
  const paid = atLeastZero(minus(booking.payment.paid, booking.ended?.refund ?? nothingOf(booking)));
  return { ...booking, payment: withPaid(booking, paid) };
}
