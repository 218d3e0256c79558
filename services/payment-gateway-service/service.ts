import { defineService, type Service } from '@ghasi/backbone/define-service';
import { paymentAnswers } from './answers.ts';
import { events } from './contract.ts';
import { errors } from './errors.ts';
import { paymentJobs, paymentSchedules } from './jobs.ts';
import { openPayments, type PaymentParts } from './payments.ts';
import { paymentReactions } from './reactions.ts';
import { cashRoutes } from './routes/cash.ts';
import { paymentRoutes } from './routes/payments.ts';
import { providerRoutes } from './routes/providers.ts';
import * as tables from './tables.ts';

/** Money that moves: intents on every rail, refunds, and cash promised at booking and taken at the desk. */
export function createPaymentGatewayService(parts: PaymentParts = {}): Service {
  const payments = openPayments(parts);
  return defineService({
    name: 'payment-gateway-service',
    schema: 'payment_gateway',
    migrations: new URL('./migrations/', import.meta.url),
    tables,
    publishes: events,
    reacts: paymentReactions(payments), // bookings, allocations, folios, shifts
    routes: [
      ...paymentRoutes(payments), // payments and refunds
      ...cashRoutes, // drawers and notes
      ...providerRoutes(payments), // webhooks and returning browsers
    ],
    jobs: paymentJobs(payments), // check-payment, check-refund
    schedules: paymentSchedules, // sweep-checks
    answers: paymentAnswers(payments), // checkout-of, settle-return, collect
    errors,
  });
}

/** With cash only: an installation that has providers makes its own. */
export const service = createPaymentGatewayService();
