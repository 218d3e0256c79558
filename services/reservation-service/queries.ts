import { and, asc, eq, inArray, isNull, lte, or, sql } from '@ghasi/db/drizzle';
import { conflict, touch } from '@ghasi/db/optimistic';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { coreErrors } from '@ghasi/domain-primitives/errors';
import { failpoint } from '@ghasi/domain-primitives/failpoint';
import { type Id, idFromUuid, idToUuid } from '@ghasi/domain-primitives/ids';
import type { z } from 'zod';
import type { board } from './contract/resources.ts';
import type { Reservation, SagaOutcome, sagaKinds } from './model.ts';
import { guests, reservations, sagas } from './tables.ts';

type Tx = Ctx['tx'];

/** Somebody who books. */
export type Guest = {
  id: Id<'gst'>;
  name: string;
  phone: string;
  email: string | null;
  locale: Reservation['locale'];
};

/** A booking with its guest's language. Locked where `forUpdate` says so: whoever decides about it decides alone. */
export async function findReservation(
  tx: Tx,
  id: Id<'rsv'>,
  { forUpdate = false } = {},
): Promise<Reservation | undefined> {
  const query = tx
    .select({ row: reservations, locale: guests.locale })
    .from(reservations)
    .innerJoin(guests, and(eq(guests.tenantId, reservations.tenantId), eq(guests.id, reservations.guestId)))
    .where(eq(reservations.id, idToUuid(id)));
  const [found] = await (forUpdate ? query.for('update') : query);
  if (found === undefined) return undefined;
  const { row, locale } = found;
  return {
    ...row.agreed,
    id: idFromUuid('rsv', row.id),
    code: row.code,
    propertyId: idFromUuid('pro', row.propertyId),
    guestId: idFromUuid('gst', row.guestId),
    locale,
    status: row.status,
    stay: { arrival: row.arrival, departure: row.departure },
    version: row.version,
  };
}

/** A booking that must be there. */
export async function readReservation(tx: Tx, id: Id<'rsv'>): Promise<Reservation> {
  const booking = await findReservation(tx, id);
  if (booking === undefined) throw coreErrors.NOT_FOUND({ entity: 'Reservation' });
  return booking;
}

/** The booking that a draft of the booking site became. */
export async function findByDraft(tx: Tx, bookingDraftId: Id<'bdr'>): Promise<Reservation | undefined> {
  const [found] = await tx
    .select({ id: reservations.id })
    .from(reservations)
    .where(sql`${reservations.agreed} ->> 'bookingDraftId' = ${bookingDraftId}`);
  return found && findReservation(tx, idFromUuid('rsv', found.id));
}

/** The booking with a code, if its guest has this phone number. */
export async function findByCode(
  tx: Tx,
  { code, phone }: { code: string; phone: string },
): Promise<Id<'rsv'> | undefined> {
  const [found] = await tx
    .select({ id: reservations.id })
    .from(reservations)
    .innerJoin(guests, and(eq(guests.tenantId, reservations.tenantId), eq(guests.id, reservations.guestId)))
    .where(and(eq(reservations.code, code), eq(guests.phone, phone)));
  return found && idFromUuid('rsv', found.id);
}

const awaited = ['confirmed', 'confirmed_cash_pending', 'check_in_partial'] as const;

/** Who arrives, leaves or sleeps in the house on a day, by name. */
export async function listBoard(tx: Tx, { propertyId, date, list }: z.output<typeof board>) {
  const on = {
    arrivals: and(eq(reservations.arrival, date), inArray(reservations.status, [...awaited])),
    departures: and(eq(reservations.departure, date), eq(reservations.status, 'checked_in')),
    in_house: and(lte(reservations.arrival, date), eq(reservations.status, 'checked_in')),
  };
  const found = await tx
    .select({ row: reservations, name: guests.name })
    .from(reservations)
    .innerJoin(guests, and(eq(guests.tenantId, reservations.tenantId), eq(guests.id, reservations.guestId)))
    .where(and(eq(reservations.propertyId, idToUuid(propertyId)), on[list]))
    .orderBy(asc(guests.name), asc(reservations.id))
    .limit(500);
  return found.map(({ row, name }) => ({
    reservationId: idFromUuid('rsv', row.id),
    code: row.code,
    guestName: name,
    status: row.status,
    stay: { arrival: row.arrival, departure: row.departure },
    rooms: row.agreed.rooms.map(({ nights: _, ...room }) => room),
    outstanding: row.agreed.payment.outstanding,
  }));
}

/** Arrivals that did not come and guests who should have left, by the end of a day. */
export async function listOpen(tx: Tx, day: { propertyId: Id<'pro'>; businessDate: string }) {
  const { propertyId, businessDate } = day;
  const found = await tx
    .select({ id: reservations.id, status: reservations.status })
    .from(reservations)
    .where(
      and(
        eq(reservations.propertyId, idToUuid(propertyId)),
        or(
          and(lte(reservations.arrival, businessDate), inArray(reservations.status, [...awaited])),
          and(lte(reservations.departure, businessDate), eq(reservations.status, 'checked_in')),
        ),
      ),
    )
    .orderBy(asc(reservations.id))
    .limit(2_000);
  return found.map(({ id, status }) => ({
    matter: status === 'checked_in' ? ('departure_due' as const) : ('arrival_not_in' as const),
    reference: idFromUuid('rsv', id),
  }));
}

export async function findGuest(tx: Tx, id: Id<'gst'>): Promise<Guest | undefined> {
  const [row] = await tx
    .select()
    .from(guests)
    .where(eq(guests.id, idToUuid(id)));
  if (row === undefined) return undefined;
  const { name, phone, email, locale } = row;
  return { id, name, phone, email, locale };
}

export function insertGuest({ tx, tenantId, now, write }: Ctx, guest: Guest): void {
  write(tx.insert(guests).values({ ...guest, tenantId, id: idToUuid(guest.id), createdAt: now }));
}

export function insertReservation({ tx, tenantId, now, write }: Ctx, booking: Reservation): void {
  write(tx.insert(reservations).values({ ...rowOf(booking), tenantId, createdAt: now, updatedAt: now }));
}

/** Saves a booking that was read at the version before. */
export function saveReservation({ tx, now, write }: Ctx, booking: Reservation): void {
  const update = tx
    .update(reservations)
    .set({ ...rowOf(booking), updatedAt: now })
    .where(and(eq(reservations.id, idToUuid(booking.id)), eq(reservations.version, booking.version - 1)));
  write(touch(tx, update, conflict('reservation')));
}

function rowOf(booking: Reservation) {
  const { id, code, propertyId, guestId, locale: _, status, stay, version, ...agreed } = booking;
  return {
    id: idToUuid(id),
    code,
    propertyId: idToUuid(propertyId),
    guestId: idToUuid(guestId),
    status,
    arrival: stay.arrival,
    departure: stay.departure,
    agreed,
    version,
  };
}

/** A saga of a booking, while it runs. */
export type OpenSaga = {
  readonly id: string;
  readonly kind: (typeof sagaKinds)[number];
  readonly reservationId: Id<'rsv'>;
  readonly waitsFor: string;
  /** Of what the desk began; null for what it did not. */
  readonly businessDate: string | null;
  readonly deadlineAt: Date | null;
};

type SagaOf = { reservationId: Id<'rsv'>; kind: OpenSaga['kind'] };
type SomeSaga = Pick<SagaOf, 'reservationId'> & Partial<SagaOf>;
type Step = { waitsFor: string; deadlineAt: Date | null };

export async function startSaga(
  ctx: Ctx,
  saga: SagaOf & Step & { id: string; businessDate?: string },
): Promise<void> {
  const { tx, tenantId, now } = ctx;
  const row = { ...saga, tenantId, reservationId: idToUuid(saga.reservationId), startedAt: now };
  ctx.write(tx.insert(sagas).values(row));
  await failpoint(`saga.${saga.kind}.start`);
}

/** The saga goes on to its next step. */
export async function stepSaga({ tx, write }: Ctx, saga: SagaOf, step: Step): Promise<void> {
  write(tx.update(sagas).set(step).where(isOpen(saga)));
  await failpoint(`saga.${saga.kind}.step`);
}

/** The saga is over; without a kind, every saga of the booking is. One that had ended before stays as it is. */
export function endSaga({ tx, now, count, ensure }: Ctx, saga: SomeSaga, outcome: SagaOutcome): void {
  const update = tx
    .update(sagas)
    .set({ outcome, endedAt: now })
    .where(isOpen(saga))
    .returning({ kind: sagas.kind });
  const told = update.then(async ended => {
    for (const { kind } of ended) {
      await failpoint(`saga.${kind}.end`);
      count('melmastoon_saga_completed_total', { service: 'reservation-service', saga_name: kind, outcome });
    }
  });
  ensure(told);
}

/** A saga that still runs, by its id. */
export async function findOpenSaga({ tx }: Ctx, id: string): Promise<OpenSaga | undefined> {
  const [row] = await tx
    .select()
    .from(sagas)
    .where(and(eq(sagas.id, id), isNull(sagas.outcome)));
  if (row === undefined) return undefined;
  return { ...row, reservationId: idFromUuid('rsv', row.reservationId) };
}

/** The saga of this kind that a booking is in, if any. */
export async function findSagaOf({ tx }: Ctx, saga: SagaOf): Promise<OpenSaga | undefined> {
  const [row] = await tx.select().from(sagas).where(isOpen(saga));
  return row === undefined ? undefined : { ...saga, ...row, reservationId: saga.reservationId };
}

function isOpen({ reservationId, kind }: SomeSaga) {
  return and(
    eq(sagas.reservationId, idToUuid(reservationId)),
    kind === undefined ? undefined : eq(sagas.kind, kind),
    isNull(sagas.outcome),
  );
}
