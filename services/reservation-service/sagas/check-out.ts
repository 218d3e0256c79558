import { on, type Reaction } from '@ghasi/backbone/reaction';
import { type Accepted, accepted } from '@ghasi/db/accepted';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import type { Id } from '@ghasi/domain-primitives/ids';
import { uuid7 } from '@ghasi/domain-primitives/uuid';
import type { PendingEvent } from '@ghasi/event-envelope/define-event';
import { FolioClosed } from '@melmastoon/billing-service/contract';
import { locked } from '../commands.ts';
import { errors } from '../errors.ts';
import * as events from '../events.ts';
import { after, CHECK_OUT_MS, type Reservation } from '../model.ts';
import { endSaga, findSagaOf, type OpenSaga, saveReservation, startSaga, stepSaga } from '../queries.ts';

/** SAGA-42: the guest leaves. Billing closes the folio, the lock revokes the keys whatever is owed (SAGA-49). */
export async function startCheckOut(
  ctx: Ctx,
  { id, businessDate, today }: { id: Id<'rsv'>; businessDate: string; today: string },
): Promise<Accepted<Reservation>> {
  const booking = await locked(ctx, id);
  const { departure } = booking.stay;
  if (booking.status !== 'checked_in') throw errors.NOT_IN_HOUSE({ status: booking.status });
  if ((await findSagaOf(ctx, sagaOf(booking))) !== undefined) return accepted(booking, []); // begun already
  const change = { reservationId: id, kind: 'date_change' } as const;
  if ((await findSagaOf(ctx, change)) !== undefined) throw errors.CHANGE_PENDING(); // his nights have no price yet
  // R15: nights he does not sleep are given back and repriced first. The hotel day may lag the calendar (R1).
  if (businessDate < departure && today < departure) throw errors.SHORTEN_FIRST({ departure });
  const begun = after(booking, {});
  saveReservation(ctx, begun);
  const deadlineAt = new Date(ctx.now.getTime() + CHECK_OUT_MS);
  await startSaga(ctx, { id: uuid7(), ...sagaOf(booking), waitsFor: 'folio', businessDate, deadlineAt });
  return accepted(begun, [events.checkOutStarted(begun, businessDate, deadlineAt)]);
}

/** SAGA-47: the folio is closed, so nothing is owed. Also later, when a balance was pending. */
export const checkOutSaga: readonly Reaction[] = [
  on(FolioClosed, async (ctx, { reservationId, businessDate }) => {
    const booking = await locked(ctx, reservationId);
    const isLeaving = (await findSagaOf(ctx, sagaOf(booking))) !== undefined;
    if (!isLeaving && booking.status !== 'checked_out_balance_pending') return 'noop';
    endSaga(ctx, sagaOf(booking), 'success');
    const nothing = { ...booking.payment.outstanding, amount: '0' };
    const payment = { ...booking.payment, outstanding: nothing };
    const gone = after(booking, { status: 'checked_out', payment });
    return leave(ctx, gone, { businessDate, balance: nothing });
  }),
] as readonly Reaction[];

/** SAGA-48: billing could not close it in time. The guest leaves with a balance, if there is one; else billing is only late. */
export async function endOverdueCheckOut(
  ctx: Ctx,
  saga: OpenSaga,
  due?: Reservation['dueNow'],
): Promise<readonly PendingEvent[]> {
  const booking = await locked(ctx, saga.reservationId);
  const isOwed = due !== undefined && due.amount !== '0' && !due.amount.startsWith('-');
  const balance = isOwed ? due : booking.payment.outstanding;
  if (balance.amount === '0') {
    const deadlineAt = new Date(ctx.now.getTime() + CHECK_OUT_MS);
    await stepSaga(ctx, saga, { waitsFor: saga.waitsFor, deadlineAt });
    return [];
  }
  endSaga(ctx, saga, 'partial');
  const leaving = after(booking, { status: 'checked_out_balance_pending' });
  return leave(ctx, leaving, { businessDate: saga.businessDate as string, balance });
}

async function leave(
  ctx: Ctx,
  booking: Reservation,
  { businessDate, balance }: { businessDate: string; balance: Reservation['dueNow'] },
): Promise<PendingEvent[]> {
  saveReservation(ctx, booking);
  return [events.checkedOut(booking, { businessDate, at: ctx.now, balance })];
}

function sagaOf({ id }: Reservation) {
  return { reservationId: id, kind: 'check_out' } as const;
}
