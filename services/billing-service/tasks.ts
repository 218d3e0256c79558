import { defineTask } from '@ghasi/jobs/define-task';
import { idText, localDate } from '@melmastoon/catalog/parts';
import { z } from 'zod';

// Bound to whom they ask in jobs.ts.

/** Asks payment-gateway-service for what a guest who leaves still owes. */
export const collectBalance = defineTask({
  name: 'billing.collect-balance',
  queue: 'critical',
  scope: 'tenant',
  input: z.strictObject({ folioId: idText('fol') }),
  backoff: { baseSeconds: 2 }, // the check-out saga waits for a minute
  timeoutSeconds: 30,
});

/** Posts the night of a closed hotel day to every folio in the house, and closes what can no longer be undone. */
export const closeDay = defineTask({
  name: 'billing.close-day',
  queue: 'critical',
  scope: 'tenant',
  input: z.strictObject({ propertyId: idText('pro'), closedDate: localDate }),
  maxRetries: 10,
});

/** Asks pricing-service which taxes are in the frozen nights of a folio, so that its lines name them. */
export const learnTaxes = defineTask({
  name: 'billing.learn-taxes',
  scope: 'tenant',
  input: z.strictObject({ folioId: idText('fol'), quoteId: idText('quo') }),
});
