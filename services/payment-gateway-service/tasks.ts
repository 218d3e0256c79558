import { defineJob } from '@ghasi/jobs/define-job';
import { idText } from '@melmastoon/catalog/parts';
import { z } from 'zod';

/*
 * Use cases enqueue these by name. What they run needs the gateways, which only the composed service has: jobs.ts binds
 * them.
 */
const unbound = async () => {
  throw new Error('this job is bound to its gateways in jobs.ts');
};

/** Brings one payment and its provider together: opens it there, asks about it, or closes it. */
export const checkPayment = defineJob({
  name: 'payment_gateway.check-payment',
  queue: 'critical',
  scope: 'tenant',
  input: z.strictObject({ paymentId: idText('pay') }),
  timeoutSeconds: 50,
  transaction: 'none',
  run: unbound,
});

/** Sends one refund to its provider, or asks what became of it. */
export const checkRefund = defineJob({
  name: 'payment_gateway.check-refund',
  queue: 'critical',
  scope: 'tenant',
  input: z.strictObject({ refundId: idText('rfd') }),
  timeoutSeconds: 50,
  transaction: 'none',
  run: unbound,
});
