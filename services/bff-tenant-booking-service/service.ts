import { defineService, type Service } from '@ghasi/backbone/define-service';
import { availability } from '@melmastoon/inventory-service/contract/questions';
import { checkoutOf, railsOffered, settleReturn } from '@melmastoon/payment-gateway-service/contract';
import { calendarOf, cancellationTermsOf, makeQuote } from '@melmastoon/pricing-service/contract/questions';
import {
  dateChangePreview,
  offersOf,
  plansOnSale,
} from '@melmastoon/pricing-service/contract/site-questions';
import { housesOf } from '@melmastoon/property-service/contract/resources';
import {
  bookDraft,
  bookingByCode,
  bookingOfDraft,
  cancelForGuest,
  changeDatesForGuest,
  siteBookingOf,
} from '@melmastoon/reservation-service/contract/site-questions';
import { resolveTenant, siteSettingsOf } from '@melmastoon/tenant-service/contract';
import { themeOf } from '@melmastoon/theme-config-service/contract';
import { contentOf } from '@melmastoon/theme-config-service/contract/resources';
import { events } from './contract.ts';
import { errors } from './errors.ts';
import { schedules } from './jobs.ts';
import { bookingReactions } from './reactions.ts';
import { draftRoutes } from './routes/drafts.ts';
import { flagRoutes } from './routes/flags.ts';
import { handoffRoutes } from './routes/handoff.ts';
import { manageRoutes } from './routes/manage.ts';
import { siteRoutes } from './routes/site.ts';
import { type Booking, createBooking } from './runtime.ts';
import * as tables from './tables.ts';

/** What the booking site of a tenant talks to: the guest's way from search to confirmation. */
export function createTenantBookingService(booking: Booking): Service {
  return defineService({
    name: 'bff-tenant-booking-service',
    schema: 'bff_tenant_booking',
    migrations: new URL('./migrations/', import.meta.url),
    tables,
    publishes: events,
    reacts: bookingReactions(booking), // cached answers are forgotten; drafts end with their bookings
    routes: [
      ...siteRoutes(booking), // bootstrap, calendar, availability, preferences
      ...draftRoutes(booking), // drafts, confirm, outcome
      ...manageRoutes(booking), // confirmation, manage my booking
      ...handoffRoutes(booking),
      ...flagRoutes(booking),
    ],
    schedules: schedules(booking), // sweep-abandoned-drafts and prunes
    needs: [
      ...[resolveTenant, siteSettingsOf, housesOf, themeOf, contentOf, railsOffered, plansOnSale],
      ...[calendarOf, offersOf, availability, makeQuote, cancellationTermsOf, dateChangePreview],
      ...[bookDraft, siteBookingOf, bookingOfDraft, bookingByCode, cancelForGuest, changeDatesForGuest],
      ...[checkoutOf, settleReturn],
    ],
    errors,
  });
}

/** For those who look at what it is made of; it asks nobody and remembers nothing. */
export const service = createTenantBookingService(
  createBooking({
    ask: () => Promise.reject(new Error('this service was made without a way to ask')),
    secret: 'none',
  }),
);
