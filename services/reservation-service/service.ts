import { defineService } from '@ghasi/backbone/define-service';
import { bookingSaga } from './booking.saga.ts';
import { checkInSaga } from './check-in.saga.ts';
import { checkOutSaga } from './check-out.saga.ts';
import { events } from './contract.ts';
import { dateChangeSaga } from './date-change.saga.ts';
import { errors } from './errors.ts';
import { schedules } from './jobs.ts';
import * as tables from './tables.ts';

/** Bookings from hold to check-out, and the sagas that join the other contexts. */
export const service = defineService({
  name: 'reservation-service',
  schema: 'reservation',
  migrations: new URL('./migrations/', import.meta.url),
  tables,
  publishes: events,
  reacts: [...bookingSaga, ...checkInSaga, ...checkOutSaga, ...dateChangeSaga],
  schedules,
  errors,
});
