import { taxedPrice } from '@melmastoon/catalog/hotel-parts';
import { idText, instant, localDate, money, price, stay, tenantIdText } from '@melmastoon/catalog/parts';
import { guestDetails } from '@melmastoon/reservation-service/contract/resources';
import { z } from 'zod';
import { deadlineView, refusalFacts } from './booking-parts.ts';

/** GET /confirmations/:reservationId and GET /manage/:reservationId (X-138 ConfirmationView). */
export const confirmationView = z.strictObject({
  reservationId: idText('rsv'),
  /** What the guest shows or says at the door; also works at /manage/open with his phone number. */
  code: z.string(),
  status: z.enum([
    'draft',
    'held',
    'confirmed',
    'confirmed_cash_pending',
    'check_in_partial',
    'checked_in',
    'checked_out_balance_pending',
    'checked_out',
    'cancelled',
    'no_show',
  ]),
  guestName: z.string(),
  property: z.strictObject({
    propertyId: idText('pro'),
    name: z.string(),
    city: z.string(),
    zone: z.string(),
    checkInFrom: z.string(),
    checkOutUntil: z.string(),
  }),
  stay,
  /** Dates that were asked for and are not agreed yet. */
  wantedStay: stay.nullable(),
  rooms: z.array(
    z.strictObject({
      roomTypeId: idText('rty'),
      name: z.string(),
      adults: z.int(),
      children: z.int(),
      total: price,
    }),
  ),
  total: taxedPrice,
  rail: z.string(),
  paid: price,
  outstanding: price,
  /** Cash on arrival: the room is kept until then. */
  keptUntil: instant.nullable(),
  cancellation: z.array(deadlineView),
  freeUntil: instant.nullable(),
  canCancel: z.boolean(),
  canChangeDates: z.boolean(),
});
export type ConfirmationView = z.output<typeof confirmationView>;

/** POST /manage/open: the code of the booking (spaces and case do not matter) and the phone number it was made with. */
export const manageOpenBody = z.strictObject({
  code: z.string().trim().min(4).max(24),
  phone: guestDetails.shape.phone,
});

/** POST /manage/open (200): the session may manage this booking until then. */
export const manageOpenedView = z.strictObject({ reservationId: idText('rsv'), until: instant });

/** POST /manage/:reservationId/cancel: with `preview` nothing happens. */
export const cancelBody = z.strictObject({ preview: z.boolean().default(false) });

/** POST /manage/:reservationId/cancel (200). */
export const cancelView = z.strictObject({
  preview: z.boolean(),
  /** What the house keeps, gives back of what was paid, and asks for beyond it. */
  fee: price,
  refund: price,
  owed: price,
  freeUntil: instant.nullable(),
  booking: confirmationView,
});

/** POST /manage/:reservationId/dates: with `preview` nothing happens. */
export const datesBody = z
  .strictObject({ arrival: localDate, departure: localDate, preview: z.boolean().default(false) })
  .refine(({ arrival, departure }) => arrival < departure, {
    message: 'departs before it has slept a night',
    path: ['departure'],
  });

/** POST /manage/:reservationId/dates (200 a preview, 202 asked for: look at /manage/:reservationId until `wantedStay` is null). */
export const datesView = z.strictObject({
  preview: z.boolean(),
  stay,
  /** Null: nobody can say; the dates are not sold. */
  newTotal: price.nullable(),
  oldTotal: price,
  /** What the policy asks for the change itself, and what is to pay in all; negative: goes back. */
  fee: price.nullable(),
  difference: money.nullable(),
  /** Whether there is a room on every new night. */
  available: z.boolean(),
  refusals: z.array(refusalFacts),
  booking: confirmationView,
});

/** POST /handoff: `payload` is the JSON text that was signed, `signature` its HMAC-SHA256 as base64url (TB-57). */
export const handoffBody = z.strictObject({
  payload: z.string().min(2).max(4_000),
  signature: z.string().regex(/^[A-Za-z0-9_-]{43}$/),
  keyId: z.string().regex(/^[a-z0-9][a-z0-9-]{0,31}$/),
});

/**
 * POST /handoff (200): what the guest brought, and a ticket for it. The ticket is good for 60 seconds and for one draft,
 * at POST /handoff/drafts of this hotel group.
 */
export const arrivalView = z.strictObject({
  ticket: z.string(),
  expiresAt: instant,
  propertyId: idText('pro'),
  stay,
  adults: z.int(),
  children: z.int(),
  rooms: z.int(),
});

/** POST /handoff/drafts. */
export const ticketBody = z.strictObject({
  ticket: z.string().regex(/^[0-9a-f]{64}\.[0-9a-z]{1,10}\.[A-Za-z0-9_-]{43}$/),
});

/** What a handoff says; its prices, if it had any, would be ignored: the quote is made here. */
export const handoffPayload = z.strictObject({
  audience: z.literal('tenant-booking'),
  handoffId: idText('bha'),
  tenantId: tenantIdText,
  consumerSessionId: z.string().min(8).max(64),
  propertyId: idText('pro'),
  arrival: localDate,
  departure: localDate,
  adults: z.int().min(1).max(60),
  children: z.int().min(0).max(60),
  rooms: z.int().min(1).max(9),
  roomTypeId: idText('rty'),
  ratePlanId: idText('rpl'),
  mintedAt: instant,
  /** At most 30 minutes after `mintedAt`. */
  expiresAt: instant,
});
