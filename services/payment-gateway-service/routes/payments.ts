import { tenantTransaction } from '@ghasi/db/tenant-transaction';
import { coreErrors } from '@ghasi/domain-primitives/errors';
import { idToUuid } from '@ghasi/domain-primitives/ids';
import { fromJson } from '@ghasi/domain-primitives/money';
import { type AnyRoute, defineRoute, operator } from '@ghasi/http/route';
import { idText } from '@melmastoon/catalog/parts';
import { z } from 'zod';
import { checkPaymentNow } from '../commands/check.ts';
import { cancelPayment, refundPayment, startPayment } from '../commands/payments.ts';
import { retryRefund } from '../commands/refund.ts';
import { newPayment, newRefund, paymentHistory, paymentView, refundView } from '../contract/resources.ts';
import { errors } from '../errors.ts';
import { found } from '../model.ts';
import type { Payments } from '../payments.ts';
import { findIntent, listIntents } from '../queries/intents.ts';
import { linesOfPayment } from '../queries/ledger.ts';
import { findRefund, listRefunds } from '../queries/refunds.ts';
import { viewLine, viewPayment, viewRefund } from '../views.ts';

const readers = ['owner', 'manager', 'front_desk', 'accountant', 'auditor'];
const desk = ['owner', 'manager', 'front_desk'];
const finance = ['owner', 'manager', 'accountant'];
const one = z.strictObject({ paymentId: idText('pay') });

/** Payments and refunds, for the desk and the accountant. */
export function paymentRoutes(payments: Payments): readonly AnyRoute[] {
  return [
    defineRoute({
      method: 'POST',
      path: '/api/v1/payments',
      summary: 'Ask a guest for money',
      auth: operator(desk),
      body: newPayment,
      returns: { 201: paymentView },
      errors: [errors.BOOKING_UNKNOWN, errors.BOOKING_ENDED, errors.RAIL_NOT_OFFERED, errors.INTENT_OPEN],
      async handler(ctx, { body }) {
        const { value, events } = await startPayment(ctx, payments, body);
        return { status: 201, body: viewPayment(value), events };
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/api/v1/payments',
      summary: 'The payments of a reservation, newest first',
      auth: operator(readers),
      query: z.strictObject({ reservationId: idText('rsv') }),
      returns: { 200: z.strictObject({ payments: z.array(paymentView) }) },
      async handler({ tx }, { query }) {
        const found = await listIntents(tx, idToUuid(query.reservationId));
        return { status: 200, body: { payments: found.map(viewPayment) } };
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/api/v1/payments/:paymentId',
      summary: 'A payment, its refunds and every movement of its money',
      auth: operator(readers),
      params: one,
      returns: { 200: paymentHistory },
      errors: [coreErrors.NOT_FOUND],
      async handler({ tx }, { params }) {
        const intent = found(await findIntent(tx, params.paymentId), 'Payment');
        const refunds = (await listRefunds(tx, intent.id)).map(viewRefund);
        const lines = (await linesOfPayment(tx, intent.id)).map(viewLine);
        return { status: 200, body: { payment: viewPayment(intent), refunds, lines } };
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/api/v1/payments/:paymentId/inquire',
      summary: 'Ask the provider now what became of a payment',
      auth: operator(readers),
      params: one,
      returns: { 200: paymentView },
      errors: [coreErrors.NOT_FOUND, errors.PROVIDER_UNREACHABLE],
      transaction: 'none',
      idempotency: { none: 'it only asks; what it learns is booked once by the ledger’s own keys' },
      async handler(ctx, { params: { paymentId } }) {
        const transaction = <R>(work: Parameters<typeof tenantTransaction<R>>[2]) =>
          tenantTransaction(ctx.db, ctx, work);
        const checked = await checkPaymentNow({ transaction, now: ctx.now }, payments, {
          paymentId,
          force: true,
        });
        if (checked === 'unanswered') throw errors.PROVIDER_UNREACHABLE();
        const intent = await transaction(({ tx }) => findIntent(tx, paymentId));
        return { status: 200, body: viewPayment(found(intent, 'Payment')) };
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/api/v1/payments/:paymentId/cancel',
      summary: 'Take a payment back that nobody has made',
      auth: operator(desk),
      params: one,
      returns: { 200: paymentView },
      errors: [coreErrors.NOT_FOUND, errors.INTENT_TRANSITION_REFUSED],
      handler: async (ctx, { params }) => ({
        status: 200,
        body: viewPayment(await cancelPayment(ctx, params.paymentId)),
      }),
    }),
    defineRoute({
      method: 'POST',
      path: '/api/v1/payments/:paymentId/refunds',
      summary: 'Give money of a payment back',
      auth: operator(finance),
      params: one,
      body: newRefund,
      returns: { 201: refundView },
      errors: [
        coreErrors.NOT_FOUND,
        errors.NOT_CAPTURED,
        errors.CURRENCY_DIFFERS,
        errors.REFUND_EXCEEDS_CAPTURE,
      ],
      handler: async (ctx, { params, body: { amount, reason } }) => ({
        status: 201,
        body: viewRefund(await refundPayment(ctx, { ...params, reason, amount: fromJson(amount) })),
      }),
    }),
    defineRoute({
      method: 'POST',
      path: '/api/v1/refunds/:refundId/retry',
      summary: 'Send a refund that failed once more',
      auth: operator(finance),
      params: z.strictObject({ refundId: idText('rfd') }),
      returns: { 201: refundView },
      errors: [coreErrors.NOT_FOUND, errors.REFUND_NOT_FAILED, errors.REFUND_EXCEEDS_CAPTURE],
      async handler(ctx, { params: { refundId } }) {
        const { paymentId } = found(await findRefund(ctx.tx, refundId), 'Refund');
        return { status: 201, body: viewRefund(await retryRefund(ctx, { refundId, paymentId })) };
      },
    }),
  ];
}
