import { locale, rail, taxedPrice, version } from '@melmastoon/catalog/hotel-parts';
import { idText, instant, localDate, price, stay } from '@melmastoon/catalog/parts';
import { z } from 'zod';
import { bookedRoom, channels, payment, pricedRoom, reservationStatuses } from './booking-parts.ts';

/** Who books. A phone number is enough; it is how most people here are reached. */
export const guestDetails = z.strictObject({
  name: z.string().trim().min(1).max(200),
  /** E.164, `+93700123456`. */
  phone: z.string().regex(/^\+[1-9][0-9]{6,14}$/),
  email: z.email().max(254).nullable().default(null),
  locale,
});

/** What makes a booking out of a quote. */
export const newReservation = z.strictObject({
  quoteId: idText('quo'),
  rail,
  channel: z.enum(channels),
  guest: guestDetails,
});

/** A booking as those who work with it see it. */
export const reservationView = z.strictObject({
  reservationId: idText('rsv'),
  code: z.string(),
  propertyId: idText('pro'),
  guestId: idText('gst'),
  guest: guestDetails.nullable(),
  status: z.enum(['draft', ...reservationStatuses]),
  channel: z.enum(channels),
  quoteId: idText('quo'),
  stay,
  rooms: z.array(pricedRoom),
  total: taxedPrice,
  payment,
  dueNow: price,
  expiresAt: instant.nullable(),
  keptUntil: instant.nullable(),
  /** What the guest wrote when he booked. */
  requests: z.string().nullable(),
  /** Dates that were asked for and are not agreed yet. */
  wantedStay: stay.nullable(),
  folioId: idText('fol').nullable(),
  /** Steps of a check-in that are not done: `folio`, `key`, `welcome`. */
  missing: z.array(z.string()),
  version,
});

/** One line of a list of bookings. */
export const reservationLine = z.strictObject({
  reservationId: idText('rsv'),
  code: z.string(),
  guestName: z.string(),
  status: z.enum(['draft', ...reservationStatuses]),
  stay,
  rooms: z.array(bookedRoom),
  outstanding: price,
});

/** Which bookings to list: those that arrive, leave or sleep in the house on a day. */
export const board = z.strictObject({
  propertyId: idText('pro'),
  date: localDate,
  list: z.enum(['arrivals', 'departures', 'in_house']),
});
