import type { Ask } from '@ghasi/backbone/question';
import { tenantRead } from '@ghasi/db/tenant-transaction';
import { coreErrors } from '@ghasi/domain-primitives/errors';
import { type AnyRoute, defineRoute, operator } from '@ghasi/http/route';
import { idText, stay } from '@melmastoon/catalog/parts';
import { cancellationTermsOf, quoteOf } from '@melmastoon/pricing-service/contract/questions';
import { z } from 'zod';
import { cancelReservation, confirmReservation, draftReservation } from '../commands.ts';
import { newReservation, reservationView } from '../contract/resources.ts';
import { errors } from '../errors.ts';
import { fromQuote, keyWindow } from '../from-quote.ts';
import { findGuest, readReservation } from '../queries.ts';
import { changeDates } from '../sagas/date-change.ts';
import { houseOf, noShowTerms } from './asking.ts';
import { view } from './view.ts';

const staff = operator(['owner', 'manager', 'front_desk']);
const params = z.strictObject({ reservationId: idText('rsv') });
const refusals = [coreErrors.NOT_FOUND, errors.TRANSITION_REFUSED];

/** Bookings before the stay. Prices, policies and hours are asked for first; then everything is written at once. */
export function bookingRoutes(ask: Ask, { holdMs }: { holdMs?: number }): readonly AnyRoute[] {
  const create = defineRoute({
    method: 'POST',
    path: '/api/v1/reservations',
    summary: 'Write a booking down at the price of a quote; nothing is held until it is confirmed',
    auth: staff,
    transaction: 'late',
    body: newReservation,
    returns: { 201: reservationView },
    errors: [coreErrors.NOT_FOUND, errors.QUOTE_GONE, errors.RAIL_NOT_OFFERED],
    async handler(ctx, { body }) {
      const { tenantId, now } = ctx;
      const quote = await ask(quoteOf, { tenantId, quoteId: body.quoteId });
      if (quote === null) throw errors.QUOTE_GONE();
      const house = await houseOf(ask, tenantId, quote.propertyId);
      const noShow = await noShowTerms(ask, tenantId, { quoteId: quote.quoteId, now });
      const booking = fromQuote(body, quote, { house, now, noShow });
      return ctx.commit(async inside => {
        const draft = await draftReservation(inside, booking);
        return { status: 201, body: view(draft, body.guest) };
      });
    },
  });

  const show = defineRoute({
    method: 'GET',
    path: '/api/v1/reservations/:reservationId',
    summary: 'One booking, with its guest',
    auth: operator(['owner', 'manager', 'front_desk', 'accountant', 'auditor']),
    params,
    returns: { 200: reservationView },
    errors: [coreErrors.NOT_FOUND],
    async handler({ tx }, input) {
      const booking = await readReservation(tx, input.params.reservationId);
      const { id: _, ...guest } = (await findGuest(tx, booking.guestId)) ?? { id: null };
      return { status: 200, body: view(booking, 'name' in guest ? guest : null) };
    },
  });

  const confirm = defineRoute({
    method: 'POST',
    path: '/api/v1/reservations/:reservationId/confirm',
    summary: 'The guest pays: hold the rooms and start the booking saga',
    auth: staff,
    params,
    returns: { 200: reservationView },
    errors: refusals,
    async handler(ctx, input) {
      const { value, events } = await confirmReservation(ctx, input.params.reservationId, holdMs);
      return { status: 200, body: view(value), events };
    },
  });

  const cancel = defineRoute({
    method: 'POST',
    path: '/api/v1/reservations/:reservationId/cancel',
    summary: 'Give a booking up, on the terms of its policy at this moment',
    auth: staff,
    transaction: 'late',
    params,
    body: z.strictObject({ reason: z.enum(['guest_request', 'operator_request']) }),
    returns: { 200: reservationView },
    errors: refusals,
    async handler(ctx, { params: { reservationId: id }, body: { reason } }) {
      const { tenantId, now } = ctx;
      const { quoteId, payment } = await tenantRead(ctx.db, ctx, ({ tx }) => readReservation(tx, id));
      const asked = { tenantId, quoteId, at: now.toISOString(), paid: payment.paid };
      const terms = await ask(cancellationTermsOf, asked);
      const ending = { reason, deadlineKind: null, ...(terms === null ? {} : { terms }) } as const;
      return ctx.commit(async inside => {
        const { value, events } = await cancelReservation(inside, { id, ...ending });
        return { status: 200, body: view(value), events };
      });
    },
  });

  const dates = defineRoute({
    method: 'POST',
    path: '/api/v1/reservations/:reservationId/dates',
    summary: 'Ask for other dates; the old ones hold until inventory and pricing have agreed',
    auth: staff,
    transaction: 'late',
    params,
    body: z.strictObject({
      stay,
      reason: z.enum(['guest_request', 'operator_request', 'early_departure', 'extension']),
    }),
    returns: { 202: reservationView },
    errors: [...refusals, errors.NOT_CHANGEABLE, errors.CHANGE_PENDING, errors.SAME_DATES, errors.LEAVING],
    async handler(ctx, { params: { reservationId: id }, body }) {
      const { tenantId } = ctx;
      const { propertyId } = await tenantRead(ctx.db, ctx, ({ tx }) => readReservation(tx, id));
      const house = await houseOf(ask, tenantId, propertyId);
      const wanted = { stay: body.stay, keyWindow: keyWindow(body.stay, house) };
      return ctx.commit(async inside => {
        const { value, events } = await changeDates(inside, { id, reason: body.reason, ...wanted });
        return { status: 202, body: view(value), events };
      });
    },
  });

  return [create, show, confirm, cancel, dates];
}
