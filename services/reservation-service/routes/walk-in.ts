import type { Ask } from '@ghasi/backbone/question';
import { coreErrors } from '@ghasi/domain-primitives/errors';
import { type AnyRoute, defineRoute, operator } from '@ghasi/http/route';
import { idText, localDate } from '@melmastoon/catalog/parts';
import { makeQuote } from '@melmastoon/pricing-service/contract/questions';
import { z } from 'zod';
import { confirmReservation, draftReservation } from '../commands.ts';
import { guestDetails, reservationView } from '../contract/resources.ts';
import { errors } from '../errors.ts';
import { fromQuote } from '../from-quote.ts';
import { houseOf, noShowTerms } from './asking.ts';
import { view } from './view.ts';

/** A guest at the desk without a booking: quote, booking, room and check-in in one step. */
export function walkInRoutes(ask: Ask): readonly AnyRoute[] {
  const walkIn = defineRoute({
    method: 'POST',
    path: '/api/v1/walk-ins',
    summary: 'Book and check in a guest who stands at the desk; pays in cash, now or when he leaves',
    auth: operator(['owner', 'manager', 'front_desk']),
    transaction: 'late',
    body: z.strictObject({
      propertyId: idText('pro'),
      roomTypeId: idText('rty'),
      ratePlanId: idText('rpl'),
      /** The door he gets; inventory refuses one that is taken. */
      roomId: idText('rom'),
      /** He arrives on the hotel day. */
      departure: localDate,
      adults: z.int().min(1).max(30),
      children: z.int().min(0).max(30).default(0),
      guest: guestDetails,
    }),
    returns: { 202: reservationView },
    errors: [
      coreErrors.NOT_FOUND,
      errors.QUOTE_GONE,
      errors.RAIL_NOT_OFFERED,
      errors.NOT_SOLD,
      errors.LEAVES_BEFORE,
    ],
    async handler(ctx, { body }) {
      const { tenantId, now } = ctx;
      const { propertyId, departure, roomTypeId, ratePlanId, adults, children, guest, roomId } = body;
      const house = await houseOf(ask, tenantId, propertyId);
      const { businessDate } = house;
      if (departure <= businessDate) throw errors.LEAVES_BEFORE({ departure, businessDate });
      const quoted = await ask(makeQuote, {
        tenantId,
        propertyId,
        stay: { arrival: businessDate, departure },
        rooms: [{ roomTypeId, ratePlanId, adults, children }],
      });
      if (quoted.kind === 'refused')
        throw errors.NOT_SOLD({ reasons: quoted.refusals.map(({ reason }) => reason).join(', ') });
      const { quote } = quoted;
      const noShow = await noShowTerms(ask, tenantId, { quoteId: quote.quoteId, now });
      const asked = { quoteId: quote.quoteId, rail: 'cash_pending', channel: 'walk_in', guest } as const;
      const { rooms, ...sale } = fromQuote(asked, quote, { house, now, noShow });
      const booking = { ...sale, rooms: rooms.map(room => ({ ...room, roomId })), arrivesOn: businessDate };
      return ctx.commit(async inside => {
        const draft = await draftReservation(inside, booking);
        const { value, events } = await confirmReservation(inside, draft.id);
        return { status: 202, body: view(value, guest), events };
      });
    },
  });

  return [walkIn];
}
