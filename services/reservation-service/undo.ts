import { type Accepted, accepted } from '@ghasi/db/accepted';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import type { Id } from '@ghasi/domain-primitives/ids';
import { locked, startHold } from './commands.ts';
import { errors } from './errors.ts';
import * as events from './events.ts';
import type { Reservation } from './model.ts';
import { findSagaOf, saveReservation } from './queries.ts';
import {
  reinstate,
  reinstateProblem,
  restore,
  restoreProblem,
  undoCheckIn,
  undoCheckInProblem,
} from './undo-rules.ts';

type Desk = { readonly id: Id<'rsv'>; readonly businessDate: string };

/** R18: a cancellation is taken back. Rooms and money are asked for anew; without them it is cancelled again. */
export async function undoCancellation(ctx: Ctx, desk: Desk): Promise<Accepted<Reservation>> {
  const booking = await locked(ctx, desk.id);
  const { status, stay } = booking;
  const problem = reinstateProblem(booking, desk.businessDate);
  if (problem === 'TRANSITION_REFUSED') throw errors.TRANSITION_REFUSED({ from: status, to: 'held' });
  if (problem === 'ARRIVAL_PASSED') throw errors.ARRIVAL_PASSED({ arrival: stay.arrival });
  return startHold(ctx, reinstate(booking, ctx.now));
}

/** R17: the guest came in the night. Inventory gives him his rooms back, or says that they are gone. */
export async function undoNoShow(ctx: Ctx, desk: Desk): Promise<Accepted<Reservation>> {
  const booking = await locked(ctx, desk.id);
  const problem = restoreProblem(booking, desk.businessDate);
  if (problem === 'TRANSITION_REFUSED')
    throw errors.TRANSITION_REFUSED({ from: booking.status, to: 'confirmed' });
  if (problem === 'TOO_LATE_TO_UNDO') throw errors.TOO_LATE_TO_UNDO();
  const restored = restore(booking);
  saveReservation(ctx, restored);
  return accepted(restored, [events.confirmed(restored)]);
}

/** R18: the wrong guest was let in. Only on the same hotel day: after it the night is charged. */
export async function takeBackCheckIn(ctx: Ctx, desk: Desk): Promise<Accepted<Reservation>> {
  const booking = await locked(ctx, desk.id);
  const problem = undoCheckInProblem(booking, desk.businessDate);
  if (problem === 'NOT_IN_HOUSE') throw errors.NOT_IN_HOUSE({ status: booking.status });
  if (problem === 'TOO_LATE_TO_UNDO') throw errors.TOO_LATE_TO_UNDO();
  if ((await findSagaOf(ctx, { reservationId: desk.id, kind: 'check_out' })) !== undefined)
    throw errors.LEAVING();
  const waiting = undoCheckIn(booking);
  saveReservation(ctx, waiting);
  return accepted(waiting, [events.checkInUndone(waiting, desk.businessDate)]);
}
