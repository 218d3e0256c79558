import { type Answer, type AnswerCtx, answer } from '@ghasi/backbone/question';
import { accepted } from '@ghasi/db/accepted';
import type { Database } from '@ghasi/db/database';
import { retryOnConflict } from '@ghasi/db/optimistic';
import { isUniqueViolation } from '@ghasi/db/pg-errors';
import { type Actor, type Ctx, tenantRead, tenantTransaction } from '@ghasi/db/tenant-transaction';
import { AppError } from '@ghasi/domain-primitives/errors';
import type { TenantId } from '@ghasi/domain-primitives/ids';
import { cancellationTermsOf, quoteOf } from '@melmastoon/pricing-service/contract/questions';
import type { z } from 'zod';
import { cancelReservation, confirmReservation, draftReservation } from './commands.ts';
import {
  bookDraft,
  bookingByCode,
  bookingOfDraft,
  cancelForGuest,
  changeDatesForGuest,
  type SiteBooking,
  siteBookingOf,
} from './contract/site-questions.ts';
import { errors } from './errors.ts';
import { fromQuote, keyWindow } from './from-quote.ts';
import type { Reservation } from './model.ts';
import { findByCode, findByDraft, findGuest, findReservation } from './queries.ts';
import { houseOf, noShowTerms } from './routes/asking.ts';
import { view } from './routes/view.ts';
import { changeDates } from './sagas/date-change.ts';

const self: Actor = { type: 'service', id: 'reservation-service' };

type Own = AnswerCtx;

/** What the booking site asks inside its guests' requests. */
export function siteAnswers({ holdMs }: { holdMs?: number }): Answer[] {
  return [
    answer(bookDraft, (own, input) => refusable(() => book(own, input, holdMs))),
    answer(siteBookingOf, ({ db, log }, { tenantId, reservationId }) =>
      tenantRead(db, { tenantId, actor: self, log }, async ctx => {
        const booking = await findReservation(ctx.tx, reservationId);
        return booking === undefined ? null : toSite(ctx, booking);
      }),
    ),
    answer(bookingOfDraft, ({ db, log }, { tenantId, bookingDraftId }) =>
      tenantRead(db, { tenantId, actor: self, log }, async ctx => {
        const booking = await findByDraft(ctx.tx, bookingDraftId);
        return booking === undefined ? null : toSite(ctx, booking);
      }),
    ),
    answer(bookingByCode, ({ db, log }, { tenantId, code, phone }) =>
      tenantRead(db, { tenantId, actor: self, log }, async ({ tx }) => {
        const reservationId = await findByCode(tx, { code, phone });
        return reservationId === undefined ? null : { reservationId };
      }),
    ),
    answer(cancelForGuest, (own, input) => refusable(() => cancelIt(own, input))),
    answer(changeDatesForGuest, (own, input) => refusable(() => moveIt(own, input))),
  ];
}

/** Draft and hold in one transaction. Of two that come at once the index lets one through; the other finds its booking. */
async function book(
  { db, ask, log }: Own,
  { tenantId, bookingDraftId, requests, ...asked }: z.output<typeof bookDraft.input>,
  holdMs: number | undefined,
): Promise<SiteBooking> {
  const now = new Date();
  const who = { tenantId, actor: self, log, now };
  const known = () =>
    tenantRead(db, who, async ctx => {
      const booking = await findByDraft(ctx.tx, bookingDraftId);
      return booking && toSite(ctx, booking);
    });
  const before = await known();
  if (before !== undefined) return before;
  const quote = await ask(quoteOf, { tenantId, quoteId: asked.quoteId });
  if (quote === null || quote.bookingDraftId !== bookingDraftId) throw errors.QUOTE_GONE();
  const house = await houseOf(ask, tenantId, quote.propertyId);
  const noShow = await noShowTerms(ask, tenantId, { quoteId: quote.quoteId, now });
  const sale = fromQuote({ ...asked, channel: 'booking_site' }, quote, { house, now, noShow });
  try {
    return await tenantTransaction(db, who, async ctx => {
      const { id } = await draftReservation(ctx, { ...sale, requests });
      const { value, events } = await confirmReservation(ctx, id, holdMs);
      return accepted(await toSite(ctx, value), events);
    });
  } catch (error) {
    if (!isUniqueViolation(error, 'reservations_one_per_draft')) throw error;
    const other = await known();
    if (other === undefined) throw error;
    return other;
  }
}

type One = { tenantId: TenantId; reservationId: Reservation['id'] };

async function cancelIt({ db, ask, log }: Own, { tenantId, reservationId: id }: One): Promise<SiteBooking> {
  const now = new Date();
  const who = { tenantId, actor: self, log, now };
  const { quoteId, payment, status } = await readOne(db, who, id);
  if (status === 'held') throw errors.TRANSITION_REFUSED({ from: status, to: 'cancelled' });
  const terms = await ask(cancellationTermsOf, {
    ...{ tenantId, quoteId, at: now.toISOString(), paid: payment.paid },
  });
  const ending = {
    reason: 'guest_request',
    deadlineKind: null,
    ...(terms === null ? {} : { terms }),
  } as const;
  return retryOnConflict(() =>
    tenantTransaction(db, who, async ctx => {
      const { value, events } = await cancelReservation(ctx, { id, ...ending });
      return accepted(await toSite(ctx, value), events);
    }),
  );
}

async function moveIt(
  { db, ask, log }: Own,
  { tenantId, reservationId: id, stay }: One & { stay: Reservation['stay'] },
): Promise<SiteBooking> {
  const who = { tenantId, actor: self, log };
  const { propertyId, status } = await readOne(db, who, id);
  // A guest who is in the house asks at the desk: nights he has slept cannot be given back from a phone.
  if (status !== 'confirmed' && status !== 'confirmed_cash_pending') throw errors.NOT_CHANGEABLE({ status });
  const house = await houseOf(ask, tenantId, propertyId);
  const wanted = { stay, keyWindow: keyWindow(stay, house) };
  return retryOnConflict(() =>
    tenantTransaction(db, who, async ctx => {
      const { value, events } = await changeDates(ctx, { id, reason: 'guest_request', ...wanted });
      return accepted(await toSite(ctx, value), events);
    }),
  );
}

async function readOne(
  db: Database,
  who: Parameters<typeof tenantRead>[1],
  id: Reservation['id'],
): Promise<Reservation> {
  const booking = await tenantRead(db, who, ({ tx }) => findReservation(tx, id));
  if (booking === undefined) throw errors.BOOKING_UNKNOWN();
  return booking;
}

/** A refusal of this service is an answer; anything else is a failure. */
async function refusable(work: () => Promise<SiteBooking>) {
  try {
    return { kind: 'done' as const, booking: await work() };
  } catch (error) {
    if (error instanceof AppError && error.status >= 400 && error.status < 500)
      return { kind: 'refused' as const, code: error.code };
    throw error;
  }
}

async function toSite({ tx }: Pick<Ctx, 'tx'>, booking: Reservation): Promise<SiteBooking> {
  const { guest: _, guestId: __, folioId: ___, missing: ____, requests: _____, ...seen } = view(booking);
  const guest = await findGuest(tx, booking.guestId);
  return {
    ...(seen as SiteBooking),
    bookingDraftId: booking.bookingDraftId,
    guestName: guest?.name ?? '',
    locale: booking.locale,
    isAllocated: booking.allocationId !== null,
    endedBecause: booking.ended?.reason ?? null,
  };
}
