import { on, type Reaction } from '@ghasi/backbone/reaction';
import { type Accepted, accepted } from '@ghasi/db/accepted';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import type { Id } from '@ghasi/domain-primitives/ids';
import { uuid7 } from '@ghasi/domain-primitives/uuid';
import type { PendingEvent } from '@ghasi/event-envelope/define-event';
import { AllocationReallocated } from '@melmastoon/inventory-service/contract';
import { DeltaApplied } from '@melmastoon/pricing-service/contract';
import { locked } from '../commands.ts';
import type { dateChangeReasons } from '../contract/booking-parts.ts';
import { errors } from '../errors.ts';
import * as events from '../events.ts';
import {
  askForDates,
  DATE_CHANGE_MS,
  keepDates,
  moveTo,
  type Repriced,
  type Reservation,
  type WantedDates,
} from '../model.ts';
import { endSaga, findSagaOf, type OpenSaga, saveReservation, startSaga, stepSaga } from '../queries.ts';

type DateChange = WantedDates & {
  readonly id: Id<'rsv'>;
  readonly reason: Exclude<(typeof dateChangeReasons)[number], 'reallocation_failed'>;
};

/** SAGA-50: asks for other dates. The old ones hold until inventory and pricing have agreed to the new ones. */
export async function changeDates(
  ctx: Ctx,
  { id, reason, ...wanted }: DateChange,
): Promise<Accepted<Reservation>> {
  const booking = await locked(ctx, id);
  if (!['confirmed', 'confirmed_cash_pending', 'checked_in'].includes(booking.status))
    throw errors.NOT_CHANGEABLE({ status: booking.status });
  if (booking.wanted !== null) throw errors.CHANGE_PENDING();
  if ((await findSagaOf(ctx, { reservationId: id, kind: 'check_out' })) !== undefined) throw errors.LEAVING();
  if (isSame(booking.stay, wanted.stay)) throw errors.SAME_DATES();
  const after = askForDates(booking, wanted);
  saveReservation(ctx, after);
  const deadlineAt = new Date(ctx.now.getTime() + DATE_CHANGE_MS);
  await startSaga(ctx, { id: uuid7(), ...sagaOf(booking), waitsFor: 'allocation', deadlineAt });
  const change = { from: booking.stay, to: wanted.stay, keyWindow: wanted.keyWindow };
  return accepted(after, [events.datesChanged(after, change, reason)]);
}

/** SAGA-13: asked → reallocated → priced → moved; or refused, and the old dates are put back (SAGA-55, SAGA-56). */
export const dateChangeSaga: readonly Reaction[] = [
  on(AllocationReallocated, async (ctx, { reservationId, newStay }) => {
    const booking = await locked(ctx, reservationId);
    if (booking.wanted === null || !isSame(booking.wanted.stay, newStay)) return 'noop';
    const deadlineAt = new Date(ctx.now.getTime() + DATE_CHANGE_MS);
    await stepSaga(ctx, sagaOf(booking), { waitsFor: 'price', deadlineAt });
    return undefined;
  }),

  on(DeltaApplied, async (ctx, { reservationId, newStay, ...price }) => {
    const booking = await locked(ctx, reservationId);
    if (booking.wanted === null || !isSame(booking.wanted.stay, newStay)) return 'noop';
    saveReservation(ctx, moveTo(booking, booking.wanted, price as Repriced));
    endSaga(ctx, sagaOf(booking), 'success');
    return undefined;
  }),
] as readonly Reaction[];

/** Inventory refused the new dates. */
export async function datesRefused(
  ctx: Ctx,
  booking: Reservation,
): Promise<readonly PendingEvent[] | 'noop'> {
  if (booking.wanted === null) return 'noop';
  return putBack(ctx, booking, booking.wanted);
}

/** Nobody answered in time. Before inventory has spoken the old dates come back; after it the price is still awaited. */
export async function endOverdueDateChange(ctx: Ctx, saga: OpenSaga): Promise<readonly PendingEvent[]> {
  const booking = await locked(ctx, saga.reservationId);
  if (saga.waitsFor === 'allocation' && booking.wanted !== null) return putBack(ctx, booking, booking.wanted);
  endSaga(ctx, saga, 'partial');
  return [];
}

async function putBack(ctx: Ctx, booking: Reservation, wanted: WantedDates): Promise<PendingEvent[]> {
  const after = keepDates(booking);
  saveReservation(ctx, after);
  endSaga(ctx, sagaOf(booking), 'compensated');
  const change = { from: wanted.stay, to: booking.stay, keyWindow: booking.keyWindow };
  return [events.datesChanged(after, change, 'reallocation_failed')];
}

function sagaOf({ id }: Reservation) {
  return { reservationId: id, kind: 'date_change' } as const;
}

function isSame(a: Reservation['stay'], b: Reservation['stay']): boolean {
  return a.arrival === b.arrival && a.departure === b.departure;
}
