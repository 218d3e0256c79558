import { answer } from '@ghasi/backbone/question';
import { type Actor, tenantRead } from '@ghasi/db/tenant-transaction';
import { contactOf, dayStatus } from './contract/questions.ts';
import { findGuest, findReservation, listOpen } from './queries.ts';

const self: Actor = { type: 'service', id: 'reservation-service' };

/** R2: who should have come or gone by the end of a hotel day, and has not. */
export const dayStatusAnswer = answer(dayStatus, ({ db, log }, { tenantId, ...day }) =>
  tenantRead(db, { tenantId, actor: self, log }, async ({ tx }) => ({ open: await listOpen(tx, day) })),
);

/** Whom to write to about a booking. */
export const contactAnswer = answer(contactOf, ({ db, log }, { tenantId, reservationId }) =>
  tenantRead(db, { tenantId, actor: self, log }, async ({ tx }) => {
    const booking = await findReservation(tx, reservationId);
    const guest = booking && (await findGuest(tx, booking.guestId));
    if (booking === undefined || guest === undefined) return null;
    const { id: guestId, name, phone, email, locale } = guest;
    const { code, propertyId, stay, total, payment } = booking;
    const money = { total: total.gross, outstanding: payment.outstanding };
    return { guestId, name, phone, email, locale, code, propertyId, ...stay, ...money };
  }),
);
