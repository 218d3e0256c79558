import { defineTask } from '@ghasi/jobs/define-task';
import { idText } from '@melmastoon/catalog/parts';
import { z } from 'zod';

// Bound to the gateways they call in jobs.ts.

/** Brings one payment and its provider together: opens it there, asks about it, or closes it. */
export const checkPayment = defineTask({
  name: 'payment_gateway.check-payment',
  queue: 'critical',
  scope: 'tenant',
  input: z.strictObject({ paymentId: idText('pay') }),
  timeoutSeconds: 50,
});

/** Sends one refund to its provider, or asks what became of it. */
export const checkRefund = defineTask({
  name: 'payment_gateway.check-refund',
  queue: 'critical',
  scope: 'tenant',
  input: z.strictObject({ refundId: idText('rfd') }),
  timeoutSeconds: 50,
});
