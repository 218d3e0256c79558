import { defineQuestion } from '@ghasi/backbone/question';
import { locale, rail } from '@melmastoon/catalog/hotel-parts';
import { idText, stay, tenantIdText } from '@melmastoon/catalog/parts';
import { z } from 'zod';
import { cancelReasons } from './booking-parts.ts';
import { guestDetails, reservationView } from './resources.ts';

/** A booking as the site of its guest sees it: his name, but no number and no address. */
export const siteBooking = reservationView
  .omit({ guest: true, guestId: true, folioId: true, missing: true, requests: true })
  .extend({
    bookingDraftId: idText('bdr').nullable(),
    guestName: z.string(),
    locale,
    /** Its rooms were taken from the shelf. */
    isAllocated: z.boolean(),
    /** Why it ended before its stay; null while it has not. */
    endedBecause: z.enum([...cancelReasons, 'no_show']).nullable(),
  });
export type SiteBooking = z.output<typeof siteBooking>;

/** A booking, or the code of this service's errors that says why not. */
const outcome = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('done'), booking: siteBooking }),
  z.strictObject({ kind: z.literal('refused'), code: z.string() }),
]);

const one = { tenantId: tenantIdText, reservationId: idText('rsv') };

/**
 * TB-60: writes a booking down at the price of its quote and confirms it, which holds the rooms. A draft is booked
 * once: asking again, with whatever else, gives the booking it became.
 */
export const bookDraft = defineQuestion({
  name: 'reservation.book-draft',
  input: z.strictObject({
    tenantId: tenantIdText,
    /** The quote must have been made for this draft. */
    bookingDraftId: idText('bdr'),
    quoteId: idText('quo'),
    rail,
    guest: guestDetails,
    requests: z.string().trim().max(500).nullable(),
  }),
  output: outcome,
});

/** A booking by its id; null: the tenant has none such. */
export const siteBookingOf = defineQuestion({
  name: 'reservation.site-booking-of',
  input: z.strictObject(one),
  output: siteBooking.nullable(),
});

/** The booking a draft became; null: none. */
export const bookingOfDraft = defineQuestion({
  name: 'reservation.booking-of-draft',
  input: z.strictObject({ tenantId: tenantIdText, bookingDraftId: idText('bdr') }),
  output: siteBooking.nullable(),
});

/** The booking with this code, if it was made with this phone number; a wrong one of either looks the same. */
export const bookingByCode = defineQuestion({
  name: 'reservation.booking-by-code',
  input: z.strictObject({
    tenantId: tenantIdText,
    code: z.string().max(24),
    phone: guestDetails.shape.phone,
  }),
  output: z.strictObject({ reservationId: idText('rsv') }).nullable(),
});

/** The guest gives his booking up, on the terms of its policy at this moment. */
export const cancelForGuest = defineQuestion({
  name: 'reservation.cancel-for-guest',
  input: z.strictObject(one),
  output: outcome,
});

/** The guest asks for other dates; the old ones hold until inventory and pricing have agreed. */
export const changeDatesForGuest = defineQuestion({
  name: 'reservation.change-dates-for-guest',
  input: z.strictObject({ ...one, stay }),
  output: outcome,
});
