import { coreErrors } from '@ghasi/domain-primitives/errors';
import { type AnyRoute, defineRoute, guest } from '@ghasi/http/route';
import { locale } from '@melmastoon/catalog/hotel-parts';
import { idText } from '@melmastoon/catalog/parts';
import {
  bookingByCode,
  cancelForGuest,
  changeDatesForGuest,
} from '@melmastoon/reservation-service/contract/site-questions';
import { z } from 'zod';
import {
  assertMayManage,
  bookingFacts,
  freshFacts,
  type Visitor,
  viewConfirmation,
} from '../confirmation.ts';
import {
  cancelBody,
  cancelView,
  confirmationView,
  datesBody,
  datesView,
  manageOpenBody,
  manageOpenedView,
} from '../contract/manage-api.ts';
import { previewDates } from '../date-change.ts';
import { errors } from '../errors.ts';
import { sessionIdOf } from '../guest.ts';
import type { Booking } from '../runtime.ts';
import { loadSession, MANAGE_MS, saveSession } from '../session.ts';

const params = z.strictObject({ reservationId: idText('rsv') });
const query = z.strictObject({ locale: locale.optional() });
const auth = guest();
const managed = [coreErrors.NOT_FOUND];

/** The booking after it was made: shown, cancelled, moved. By the session that made it, or by code and phone number. */
export function manageRoutes(booking: Booking): readonly AnyRoute[] {
  const show = (path: string, summary: string) =>
    defineRoute({
      method: 'GET',
      path,
      summary,
      auth,
      transaction: 'none',
      params,
      query,
      returns: { 200: confirmationView },
      errors: managed,
      async handler(ctx, { params: { reservationId }, query: asked }) {
        const who = { ...ctx, reservationId, sessionId: sessionIdOf(ctx.principal) };
        await assertMayManage(booking, who);
        const facts = await bookingFacts(booking, who);
        return { status: 200, body: await viewConfirmation(booking, facts, { ...who, ...asked }) };
      },
    });

  const openWithCode = defineRoute({
    method: 'POST',
    path: '/api/v1/booking/manage/open',
    summary: 'Show the code of a booking and its phone number; the session may manage it for 30 minutes',
    auth,
    transaction: 'late',
    body: manageOpenBody,
    returns: { 200: manageOpenedView },
    errors: [errors.BOOKING_UNKNOWN],
    // Guessing is hopeless (28^8 codes, and the number with it); this keeps it from being a load.
    rateLimit: { limit: 20, windowMs: 60_000, per: 'address', whenDown: 'closed' },
    async handler(ctx, { body }, request) {
      const { tenantId, now } = ctx;
      if (!(await booking.flags()).manage) throw coreErrors.UNAVAILABLE();
      const code = body.code.replaceAll(/[\s-]/g, '').toUpperCase();
      const found = await booking.ask(bookingByCode, { tenantId, code, phone: body.phone });
      if (found === null) throw errors.BOOKING_UNKNOWN();
      const of = { tenantId, sessionId: sessionIdOf(ctx.principal) };
      const session = await loadSession(booking, of, { seen: request, now });
      const until = new Date(now.getTime() + MANAGE_MS).toISOString();
      const others = session.manages.filter(
        one => one.reservationId !== found.reservationId && Date.parse(one.until) > now.getTime(),
      );
      const manages = [...others, { ...found, until }].slice(-20);
      await saveSession(booking.state(), { ...session, manages }, now);
      return ctx.commit(async () => ({ status: 200, body: { ...found, until } }));
    },
  });

  const cancel = defineRoute({
    method: 'POST',
    path: '/api/v1/booking/manage/:reservationId/cancel',
    summary: 'Give a booking up on the terms of its policy, or only see what that would cost',
    auth,
    transaction: 'late',
    params,
    body: cancelBody,
    returns: { 200: cancelView },
    errors: [...managed, errors.NOT_CANCELLABLE],
    async handler(ctx, { params: { reservationId }, body: { preview } }) {
      const who: Visitor = { ...ctx, reservationId, sessionId: sessionIdOf(ctx.principal) };
      await assertMayManage(booking, who);
      const facts = await freshFacts(booking, who);
      const { status, total } = facts.booking;
      if (!(await viewConfirmation(booking, facts, who)).canCancel) throw errors.NOT_CANCELLABLE({ status });
      const none = { ...total.gross, amount: '0' };
      const { fee = none, refund = none, owed = none, freeUntil = null } = facts.terms ?? {};
      const terms = { preview, fee, refund, owed, freeUntil };
      if (!preview) {
        const outcome = await booking.ask(cancelForGuest, { tenantId: who.tenantId, reservationId });
        if (outcome.kind === 'refused') throw errors.NOT_CANCELLABLE({ status });
      }
      const after = preview ? facts : await freshFacts(booking, who);
      const body = { ...terms, booking: await viewConfirmation(booking, after, who) };
      return ctx.commit(async () => ({ status: 200, body }));
    },
  });

  const dates = defineRoute({
    method: 'POST',
    path: '/api/v1/booking/manage/:reservationId/dates',
    summary: 'Ask for other dates, or only see what they would cost; the old ones hold until all have agreed',
    auth,
    transaction: 'late',
    params,
    body: datesBody,
    returns: { 200: datesView, 202: datesView },
    errors: [...managed, errors.NOT_CHANGEABLE, errors.ROOMS_GONE],
    async handler(ctx, { params: { reservationId }, body: { preview, ...wanted } }) {
      const who: Visitor = { ...ctx, reservationId, sessionId: sessionIdOf(ctx.principal) };
      await assertMayManage(booking, who);
      const facts = await freshFacts(booking, who);
      const before = await viewConfirmation(booking, facts, who);
      if (!before.canChangeDates) throw errors.NOT_CHANGEABLE({ reason: before.status });
      const seen = await previewDates(booking, who.tenantId, { booking: facts.booking, stay: wanted });
      if (preview)
        return ctx.commit(async () => ({ status: 200, body: { preview, ...seen, booking: before } }));
      if (!seen.available) throw errors.ROOMS_GONE();
      const [refused] = seen.refusals;
      if (refused !== undefined) throw errors.NOT_CHANGEABLE({ reason: refused.reason });
      const { tenantId } = who;
      const outcome = await booking.ask(changeDatesForGuest, { tenantId, reservationId, stay: wanted });
      if (outcome.kind === 'refused') throw errors.NOT_CHANGEABLE({ reason: outcome.code });
      const after = await viewConfirmation(booking, await freshFacts(booking, who), who);
      return ctx.commit(async () => ({ status: 202, body: { preview, ...seen, booking: after } }));
    },
  });

  return [
    show('/api/v1/booking/confirmations/:reservationId', 'The booking this session made'),
    openWithCode,
    show('/api/v1/booking/manage/:reservationId', 'A booking this session may manage'),
    cancel,
    dates,
  ];
}
