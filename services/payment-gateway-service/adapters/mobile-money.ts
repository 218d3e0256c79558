import { isId } from '@ghasi/domain-primitives/ids';
import { toDecimal } from '@ghasi/domain-primitives/money';
import { headerOf, isSignedBy } from '@ghasi/http/webhook-signature';
import { z } from 'zod';
import { type Gateway, type Incoming, NoAnswer, type Notice, type RefundStanding } from '../gateway.ts';
import type { FailureReason, Standing } from '../model.ts';
import { type Connection, callProvider, codeOf, moneyOf, type ProviderCall } from './provider-call.ts';

const transaction = z.object({
  status: z.enum(['PENDING', 'SUCCESS', 'FAILED', 'EXPIRED', 'CANCELLED', 'NOT_FOUND']),
  transactionId: z.string().nullable(),
  amount: z.string().nullable(),
  currency: z.string().nullable(),
  payUrl: z.string().nullable(),
  reason: z.string().nullable(),
});

const refund = z.object({
  status: z.enum(['SUCCESS', 'PENDING', 'FAILED', 'NOT_FOUND']),
  transactionId: z.string().nullable(),
  reason: z.string().nullable(),
});

const callback = z.object({
  callbackId: z.string().min(1).max(100),
  merchant: z.string(),
  orderId: z.string(),
  event: z.string(),
  transactionId: z.string().nullable(),
  amount: z.string().nullable(),
  currency: z.string().nullable(),
});

const failures: Readonly<Record<string, FailureReason>> = {
  LOW_BALANCE: 'insufficient_funds',
  WRONG_PIN: 'authentication_failed',
};

/**
 * A mobile wallet such as HesabPay. Its callbacks get lost often, so the status inquiry is the truth; it knows our
 * order id and answers every question with 200.
 */
export function mobileMoneyGateway(at: Connection): Gateway {
  const post = (path: string, body: object, value?: string): ProviderCall => ({
    method: 'POST',
    path,
    body,
    ...(value === undefined ? {} : { key: { header: 'x-request-id', value } }),
  });
  const ask = async (call: ProviderCall): Promise<Standing> => {
    const { status, body } = await callProvider(at, call, transaction);
    if (body === undefined) return { state: 'failed', reason: 'gateway_error', providerCode: String(status) };
    return standingOf(body);
  };
  const askRefund = async (call: ProviderCall): Promise<RefundStanding> => {
    const { status, body } = await callProvider(at, call, refund);
    if (body === undefined) return { state: 'failed', providerCode: String(status) };
    if (body.status === 'SUCCESS' && body.transactionId !== null)
      return { state: 'completed', reference: body.transactionId };
    if (body.status === 'FAILED') return { state: 'failed', providerCode: codeOf(body.reason) };
    return { state: body.status === 'NOT_FOUND' ? 'absent' : 'pending' };
  };
  return {
    rails: ['mobile_money'],
    isRemote: true,
    provider: at.provider,
    open: ({ tenantId, paymentId, amount, description, returnUrl, webhookUrl }) =>
      ask(
        post(
          '/api/payments',
          {
            orderId: paymentId,
            merchant: tenantId,
            amount: toDecimal(amount),
            currency: amount.currency,
            description,
            returnUrl,
            callbackUrl: webhookUrl,
          },
          `${paymentId}:open`,
        ),
      ),
    inquire: ({ paymentId }) => ask(post('/api/payments/status', { orderId: paymentId })),
    cancel: ({ paymentId }) => ask(post('/api/payments/cancel', { orderId: paymentId })),
    refund: ({ refundId, paymentId, amount }) =>
      askRefund(
        post(
          '/api/refunds',
          { refundId, orderId: paymentId, amount: toDecimal(amount), currency: amount.currency },
          `${refundId}:refund`,
        ),
      ),
    inquireRefund: ({ refundId }) => askRefund(post('/api/refunds/status', { refundId })),
    readNotice: incoming => readNotice(at.webhookSecret, incoming),
  };
}

function standingOf(body: z.output<typeof transaction>): Standing {
  switch (body.status) {
    case 'PENDING':
      return { state: 'pending', ...(body.payUrl === null ? {} : { redirectUrl: body.payUrl }) };
    case 'NOT_FOUND':
      return { state: 'absent' };
    case 'CANCELLED':
      return { state: 'cancelled' };
    case 'EXPIRED':
      return { state: 'failed', reason: 'expired', providerCode: null };
    case 'FAILED': {
      const providerCode = codeOf(body.reason);
      return { state: 'failed', reason: failures[providerCode ?? ''] ?? 'declined', providerCode };
    }
    case 'SUCCESS': {
      const { transactionId, amount, currency } = body;
      if (transactionId === null || amount === null || currency === null)
        throw new NoAnswer('a success without its transaction');
      return { state: 'captured', reference: transactionId, amount: moneyOf(amount, currency) };
    }
  }
}

function readNotice(secret: string, { headers, bodySha256, body, now }: Incoming): Notice | undefined {
  const timestamp = headerOf(headers, 'x-wallet-timestamp');
  const signature = headerOf(headers, 'x-wallet-signature');
  if (!isSignedBy(secret, { timestamp, bodySha256, signature }, now)) return undefined;
  const parsed = callback.safeParse(body);
  if (!parsed.success || !isId('pay', parsed.data.orderId)) return undefined;
  const { callbackId: eventId, merchant: account, orderId: paymentId, event } = parsed.data;
  const { transactionId, amount, currency } = parsed.data;
  const about = { eventId, account, paymentId };
  if (event === 'payment.success' && transactionId !== null && amount !== null && currency !== null)
    return { ...about, says: 'captured', reference: transactionId, amount: moneyOf(amount, currency) };
  return { ...about, says: event.startsWith('refund.') ? 'refunded' : 'changed' };
}
