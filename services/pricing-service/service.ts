import { defineService } from '@ghasi/backbone/define-service';
import {
  calendarAnswer,
  cancellationTermsAnswer,
  dateChangePreviewAnswer,
  makeQuoteAnswer,
  offersAnswer,
  plansOnSaleAnswer,
  quoteOfAnswer,
} from './answers.ts';
import { events } from './contract.ts';
import { errors } from './errors.ts';
import { schedules } from './jobs.ts';
import { reactions } from './reactions.ts';
import { conditionRoutes } from './routes/conditions.ts';
import { planRoutes } from './routes/plans.ts';
import { quoteRoutes } from './routes/quotes.ts';
import * as tables from './tables.ts';

/** Rate plans, their calendars, taxes, policies, quotes and price differences. */
export const service = defineService({
  name: 'pricing-service',
  schema: 'pricing',
  migrations: new URL('./migrations/', import.meta.url),
  tables,
  publishes: events,
  reacts: reactions,
  routes: [...planRoutes, ...conditionRoutes, ...quoteRoutes],
  schedules,
  answers: [
    makeQuoteAnswer,
    quoteOfAnswer,
    cancellationTermsAnswer,
    calendarAnswer,
    offersAnswer,
    plansOnSaleAnswer,
    dateChangePreviewAnswer,
  ],
  errors,
});
