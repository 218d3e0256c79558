import { on, type Reaction } from '@ghasi/backbone/reaction';
import { type Accepted, accepted } from '@ghasi/db/accepted';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import type { Id } from '@ghasi/domain-primitives/ids';
import { uuid7 } from '@ghasi/domain-primitives/uuid';
import type { PendingEvent } from '@ghasi/event-envelope/define-event';
import { FolioOpened } from '@melmastoon/billing-service/contract';
import { KeyCredentialIssued, KeyCredentialRevoked } from '@melmastoon/lock-integration-service/contract';
import { MessageDispatched } from '@melmastoon/notification-service/contract';
import { locked } from '../commands.ts';
import { errors } from '../errors.ts';
import * as events from '../events.ts';
import { after, CHECK_IN_MS, checkInProblem, missingForCheckIn, type Reservation } from '../model.ts';
import { endSaga, findSagaOf, type OpenSaga, saveReservation, startSaga } from '../queries.ts';

type Desk = { readonly id: Id<'rsv'>; readonly businessDate: string };

/** SAGA-35: the guest stands at the desk. Folio, key and welcome have 30 s; what is there already counts. */
export async function startCheckIn(ctx: Ctx, { id, businessDate }: Desk): Promise<Accepted<Reservation>> {
  const booking = await locked(ctx, id);
  const problem = checkInProblem(booking, businessDate);
  const { status, stay } = booking;
  if (problem === 'NOT_CONFIRMED') throw errors.NOT_CONFIRMED({ status });
  if (problem === 'ARRIVES_LATER') throw errors.ARRIVES_LATER({ arrival: stay.arrival, businessDate });
  if (problem === 'ROOM_NOT_ASSIGNED') throw errors.ROOM_NOT_ASSIGNED();
  if ((await findSagaOf(ctx, sagaOf(booking))) !== undefined) return accepted(booking, []); // begun already
  const begun = after(booking, {});
  saveReservation(ctx, begun);
  const deadlineAt = new Date(ctx.now.getTime() + CHECK_IN_MS);
  await startSaga(ctx, {
    id: uuid7(),
    ...sagaOf(booking),
    waitsFor: 'folio, key, welcome',
    businessDate,
    deadlineAt,
  });
  return accepted(begun, [
    events.checkInStarted(begun, businessDate, deadlineAt),
    ...(await letIn(ctx, begun, businessDate)),
  ]);
}

/** past the deadline only a person finishes it, once nothing is missing. */
export async function finishCheckIn(ctx: Ctx, { id, businessDate }: Desk): Promise<Accepted<Reservation>> {
  const booking = await locked(ctx, id);
  if (booking.status !== 'check_in_partial') throw errors.NOT_CONFIRMED({ status: booking.status });
  const missing = missingForCheckIn(booking);
  if (missing.length > 0) throw errors.CHECK_IN_INCOMPLETE({ missing: missing.join(', ') });
  const inHouse = after(booking, { status: 'checked_in', inSince: businessDate });
  saveReservation(ctx, inHouse);
  return accepted(inHouse, [events.checkedIn(inHouse, { businessDate, at: ctx.now, afterPartial: true })]);
}

/** SAGA-11: what the three steps report, whenever it comes; the last one lets the guest in. */
export const checkInSaga: readonly Reaction[] = [
  on(FolioOpened, (ctx, { reservationId, folioId }) => learn(ctx, reservationId, { folioId })),
  on(KeyCredentialIssued, async (ctx, { reservationId, credentialId, replaces }) => {
    const { keyCredentialIds } = await locked(ctx, reservationId);
    const others = keyCredentialIds.filter(key => key !== replaces && key !== credentialId);
    return learn(ctx, reservationId, { keyCredentialIds: [...others, credentialId] });
  }),
  on(KeyCredentialRevoked, async (ctx, { reservationId, credentialId }) => {
    const { keyCredentialIds } = await locked(ctx, reservationId);
    if (!keyCredentialIds.includes(credentialId)) return 'noop';
    return learn(ctx, reservationId, {
      keyCredentialIds: keyCredentialIds.filter(key => key !== credentialId),
    });
  }),
  on(MessageDispatched, (ctx, { reservationId, template }) =>
    reservationId === null || template !== 'welcome'
      ? 'noop'
      : learn(ctx, reservationId, { isWelcomed: true }),
  ),
] as readonly Reaction[];

/** SAGA-40: time is over and something is missing. Never in by itself from here (SAGA-41). */
export async function endOverdueCheckIn(ctx: Ctx, saga: OpenSaga): Promise<readonly PendingEvent[]> {
  const booking = await locked(ctx, saga.reservationId);
  saveReservation(ctx, after(booking, { status: 'check_in_partial' }));
  endSaga(ctx, saga, 'partial');
  ctx.count('melmastoon_check_in_partial_total', { service: 'reservation-service' }); // OBS-29: any of them calls
  return [];
}

async function learn(ctx: Ctx, id: Id<'rsv'>, news: Partial<Reservation>): Promise<PendingEvent[]> {
  const booking = after(await locked(ctx, id), news);
  saveReservation(ctx, booking);
  const saga = await findSagaOf(ctx, sagaOf(booking));
  return saga === undefined ? [] : letIn(ctx, booking, saga.businessDate as string);
}

/** The guest is in once nothing is missing. */
async function letIn(ctx: Ctx, booking: Reservation, businessDate: string): Promise<PendingEvent[]> {
  if (missingForCheckIn(booking).length > 0) return [];
  const inHouse = after(booking, { status: 'checked_in', inSince: businessDate });
  saveReservation(ctx, inHouse);
  endSaga(ctx, sagaOf(booking), 'success');
  return [events.checkedIn(inHouse, { businessDate, at: ctx.now, afterPartial: false })];
}

function sagaOf({ id }: Reservation) {
  return { reservationId: id, kind: 'check_in' } as const;
}
