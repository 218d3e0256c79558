import type * as api from '@melmastoon/bff-tenant-booking-service/contract/booking-api';
import type {
  payChoice,
  propertyCard,
  refusalFacts,
  roomTypeCard,
} from '@melmastoon/bff-tenant-booking-service/contract/booking-parts';
import type * as manage from '@melmastoon/bff-tenant-booking-service/contract/manage-api';
import type { z } from 'zod';

// The BFF's answers as types only: it has checked what it sends, and this process need not do it again per page.

/** The hotel and the session of the visitor. */
export type Hotel = z.output<typeof api.bootstrapView>;
export type Property = z.output<typeof propertyCard>;
export type RoomType = z.output<typeof roomTypeCard>;
export type CalendarDays = z.output<typeof api.calendarView>;
export type Availability = z.output<typeof api.availabilityView>;
export type Offer = z.output<typeof api.offerView>;
export type Refusal = z.output<typeof refusalFacts>;
export type Arrival = z.output<typeof manage.arrivalView>;
export type Draft = z.output<typeof api.draftView>;
export type CurrentDraft = z.output<typeof api.currentDraftView>;
export type PayChoice = z.output<typeof payChoice>;
export type Confirmed = z.output<typeof api.confirmedView>;
export type Outcome = z.output<typeof api.outcomeView>;
export type Booking = z.output<typeof manage.confirmationView>;
export type Opened = z.output<typeof manage.manageOpenedView>;
export type Cancellation = z.output<typeof manage.cancelView>;
export type DateChange = z.output<typeof manage.datesView>;
