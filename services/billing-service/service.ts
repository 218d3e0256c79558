import { defineService, type Service } from '@ghasi/backbone/define-service';
import type { Ask } from '@ghasi/backbone/question';
import { collect } from '@melmastoon/payment-gateway-service/contract';
import { quoteOf } from '@melmastoon/pricing-service/contract/questions';
import { contactOf } from '@melmastoon/reservation-service/contract/questions';
import { answers } from './answers.ts';
import { events } from './contract.ts';
import { errors } from './errors.ts';
import * as invoiceTables from './invoice-tables.ts';
import { billingJobs } from './jobs.ts';
import { reactions } from './reactions.ts';
import { folioRoutes } from './routes/folios.ts';
import { invoiceRoutes } from './routes/invoices.ts';
import * as tables from './tables.ts';

/** What a guest owes and why: folios, their lines, invoices. */
export function createBillingService({ ask }: { ask: Ask }): Service {
  return defineService({
    name: 'billing-service',
    schema: 'billing',
    migrations: new URL('./migrations/', import.meta.url),
    tables: { ...tables, ...invoiceTables },
    publishes: events,
    reacts: reactions, // houses and their day, bookings, price differences, payments, consumptions
    delivery: { instances: 20, concurrency: 8, order: 'required' }, // ORD-07: folio writes one after the other
    routes: [...folioRoutes, ...invoiceRoutes(ask)],
    jobs: billingJobs(ask), // collect-balance, close-day, learn-taxes
    needs: [collect, quoteOf, contactOf],
    answers, // folio-of, balances-of
    errors,
  });
}

/** The service while it has nobody to ask: it collects nothing, and its taxes have no names. */
export const service = createBillingService({
  ask: () => Promise.reject(new Error('billing-service was started without anybody to ask')),
});
