import { defineJob } from '@ghasi/jobs/define-job';
import { idText, localDate } from '@melmastoon/catalog/parts';
import { z } from 'zod';

/*
 * Use cases enqueue these by name. What they run needs to ask other services, or opens transactions of its own: jobs.ts
 * binds them.
 */
const unbound = async () => {
  throw new Error('this job is bound in jobs.ts');
};

/** Asks payment-gateway-service for what a guest who leaves still owes. */
export const collectBalance = defineJob({
  name: 'billing.collect-balance',
  queue: 'critical',
  scope: 'tenant',
  input: z.strictObject({ folioId: idText('fol') }),
  backoff: { baseSeconds: 2 }, // the check-out saga waits for a minute
  timeoutSeconds: 30,
  transaction: 'none',
  run: unbound,
});

/** Posts the night of a closed hotel day to every folio in the house, and closes what can no longer be undone. */
export const closeDay = defineJob({
  name: 'billing.close-day',
  queue: 'critical',
  scope: 'tenant',
  input: z.strictObject({ propertyId: idText('pro'), closedDate: localDate }),
  maxRetries: 10,
  transaction: 'none',
  run: unbound,
});

/** Asks pricing-service which taxes are in the frozen nights of a folio, so that its lines name them. */
export const learnTaxes = defineJob({
  name: 'billing.learn-taxes',
  scope: 'tenant',
  input: z.strictObject({ folioId: idText('fol'), quoteId: idText('quo') }),
  transaction: 'none',
  run: unbound,
});
