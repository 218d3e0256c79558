import { defineService, type Service } from '@ghasi/backbone/define-service';
import type { Ask } from '@ghasi/backbone/question';
import { folioOf } from '@melmastoon/billing-service/contract/questions';
import { roomStatus } from '@melmastoon/housekeeping-service/contract/questions';
import { assignRoomQuestion, availability } from '@melmastoon/inventory-service/contract/questions';
import { cancellationTermsOf, makeQuote, quoteOf } from '@melmastoon/pricing-service/contract/questions';
import { propertyOf } from '@melmastoon/property-service/contract';
import { contactAnswer, dayStatusAnswer } from './answers.ts';
import { events } from './contract.ts';
import { dayCloseReactions } from './day-close.ts';
import { errors } from './errors.ts';
import { sagaCounts, sagasInflight } from './gauges.ts';
import { schedules } from './jobs.ts';
import { bookingRoutes } from './routes/bookings.ts';
import { deskRoutes } from './routes/desk.ts';
import { walkInRoutes } from './routes/walk-in.ts';
import { bookingSaga } from './sagas/booking.ts';
import { checkInSaga } from './sagas/check-in.ts';
import { checkOutSaga } from './sagas/check-out.ts';
import { dateChangeSaga } from './sagas/date-change.ts';
import { siteAnswers } from './site-answers.ts';
import * as tables from './tables.ts';

/** What an installation decides: whom to ask, and how long a guest has to pay (default 10 minutes). */
export type ReservationParts = { ask: Ask; holdMs?: number };

/** Bookings from hold to check-out, and the sagas that join the other contexts. */
export function createReservationService({ ask, ...times }: ReservationParts): Service {
  return defineService({
    name: 'reservation-service',
    schema: 'reservation',
    migrations: new URL('./migrations/', import.meta.url),
    tables,
    publishes: events,
    reacts: [...bookingSaga, ...checkInSaga, ...checkOutSaga, ...dateChangeSaga, ...dayCloseReactions],
    schedules: schedules(ask),
    gauges: [sagasInflight],
    counts: sagaCounts,
    routes: [...bookingRoutes(ask, times), ...deskRoutes(ask), ...walkInRoutes(ask)],
    needs: [
      propertyOf,
      makeQuote,
      quoteOf,
      cancellationTermsOf,
      availability,
      assignRoomQuestion,
      roomStatus,
      folioOf,
    ],
    answers: [dayStatusAnswer, contactAnswer, ...siteAnswers(times)],
    errors,
  });
}
