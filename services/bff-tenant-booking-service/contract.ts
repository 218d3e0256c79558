import { defineEvent } from '@melmastoon/catalog/define-event';
import { count, currency, locale, rail, taxedPrice } from '@melmastoon/catalog/hotel-parts';
import { idText, instant, stay } from '@melmastoon/catalog/parts';
import { z } from 'zod';

/** What the guest books with (TB-26). */
export const deviceClasses = [
  'browser-desktop',
  'browser-mobile',
  'mobile-app-ios',
  'mobile-app-android',
] as const;

/** The pages of the funnel, in order. */
export const funnelSteps = ['search', 'rooms', 'details', 'payment', 'confirming'] as const;

/** Why a draft could not become a booking. */
export const draftFailures = [
  'rooms_gone',
  'price_changed',
  'quote_expired',
  'payment_failed',
  'hold_expired',
  'upstream_error',
] as const;

const slug = z.string().regex(/^[a-z0-9][a-z0-9_-]{0,63}$/);

/** What a draft was when it ended: no names, no addresses, not even hashed ones (X-130, TB-58). */
const ended = {
  bookingDraftId: idText('bdr'),
  snapshotId: idText('bds'),
  sessionId: idText('tnt'),
  /** The last page the guest saw. */
  lastStep: z.enum(funnelSteps),
  locale,
  displayCurrency: currency,
  deviceClass: z.enum(deviceClasses),
  /** Which campaign brought the guest; null when nothing said so. */
  attribution: z
    .strictObject({ source: slug, medium: slug.nullable(), campaign: slug.nullable() })
    .nullable(),
  createdAt: instant,
  endedAt: instant,
};

/** What the guest had chosen so far; null where he had not. */
const choice = {
  propertyId: idText('pro').nullable(),
  stay: stay.nullable(),
  roomTypeId: idText('rty').nullable(),
  ratePlanId: idText('rpl').nullable(),
  adults: count.nullable(),
  children: count.nullable(),
  quoteId: idText('quo').nullable(),
  total: taxedPrice.nullable(),
};

/** A guest left without booking. */
export const BookingDraftAbandoned = defineEvent({
  subject: 'melmastoon.bff_tenant_booking.booking_draft.abandoned.v1',
  summary: 'an expired booking draft was put on record',
  retention: 'warm',
  payload: z.strictObject({ ...ended, ...choice }),
  aggregateId: p => p.bookingDraftId,
  idempotencyKey: p => `${p.bookingDraftId}:abandoned`,
});

/** A draft became a booking; how many do is the conversion of the site. */
export const BookingDraftConverted = defineEvent({
  subject: 'melmastoon.bff_tenant_booking.booking_draft.converted.v1',
  summary: 'a booking draft became a confirmed reservation',
  retention: 'warm',
  payload: z.strictObject({
    ...ended,
    propertyId: idText('pro'),
    reservationId: idText('rsv'),
    stay,
    roomTypeId: idText('rty'),
    ratePlanId: idText('rpl'),
    adults: count.min(1),
    children: count,
    quoteId: idText('quo'),
    total: taxedPrice,
    rail,
  }),
  aggregateId: p => p.bookingDraftId,
  idempotencyKey: p => `${p.bookingDraftId}:converted`,
});

/** A guest wanted to book and could not. */
export const BookingDraftFailed = defineEvent({
  subject: 'melmastoon.bff_tenant_booking.booking_draft.failed.v1',
  summary: 'a booking draft ended in failure',
  retention: 'warm',
  payload: z.strictObject({
    ...ended,
    ...choice,
    failure: z.enum(draftFailures),
    /** The code the last answer carried; null when there was no answer. */
    errorCode: z
      .string()
      .regex(/^[A-Z][A-Z0-9_.]{0,120}$/)
      .nullable(),
    attempts: count.min(1),
    /** The hold that was tried, when it got that far. */
    reservationId: idText('rsv').nullable(),
  }),
  aggregateId: p => p.bookingDraftId,
  idempotencyKey: p => `${p.bookingDraftId}:failed`,
});

/** Every event of bff-tenant-booking-service. */
export const events = [BookingDraftAbandoned, BookingDraftConverted, BookingDraftFailed] as const;
