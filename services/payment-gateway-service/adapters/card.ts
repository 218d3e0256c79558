import { isId } from '@ghasi/domain-primitives/ids';
import { toDecimal } from '@ghasi/domain-primitives/money';
import { headerOf, isSignedBy } from '@ghasi/http/webhook-signature';
import { z } from 'zod';
import { type Gateway, type Incoming, NoAnswer, type Notice, type RefundStanding } from '../gateway.ts';
import type { FailureReason, Standing } from '../model.ts';
import { type Connection, callProvider, codeOf, moneyOf, type ProviderCall } from './provider-call.ts';

const checkout = z.object({
  id: z.string(),
  status: z.enum(['open', 'paid', 'declined', 'expired', 'cancelled']),
  url: z.string(),
  amount: z.string(),
  currency: z.string(),
  payment: z.object({ id: z.string() }).nullable(),
  declineCode: z.string().nullable(),
});

const refund = z.object({
  id: z.string(),
  status: z.enum(['succeeded', 'pending', 'failed']),
  code: z.string().nullable(),
});

const webhook = z.object({
  id: z.string().min(1).max(100),
  type: z.string(),
  account: z.string(),
  data: z.object({
    merchantReference: z.string(),
    amount: z.string(),
    currency: z.string(),
    payment: z.object({ id: z.string() }).nullable(),
  }),
});

/** ISO 8583 answers that mean something else than a plain refusal. */
const declineReasons: Readonly<Record<string, FailureReason>> = {
  '51': 'insufficient_funds',
  '1A': 'authentication_failed',
  '65': 'authentication_failed',
};

/** A card acquirer with a page of its own: guests type the card there, and we never see it. */
export function cardGateway(at: Connection): Gateway {
  const byReference = (paymentId: string) => `/v1/checkouts/by-reference/${paymentId}`;
  const ask = async (call: ProviderCall): Promise<Standing> => {
    const { status, body } = await callProvider(at, call, checkout);
    if (status === 404) return { state: 'absent' };
    if (body === undefined) return { state: 'failed', reason: 'gateway_error', providerCode: String(status) };
    return standingOf(body);
  };
  const askRefund = async (call: ProviderCall): Promise<RefundStanding> => {
    const { status, body } = await callProvider(at, call, refund);
    if (status === 404) return { state: 'absent' };
    if (body === undefined) return { state: 'failed', providerCode: String(status) };
    if (body.status === 'succeeded') return { state: 'completed', reference: body.id };
    return body.status === 'pending'
      ? { state: 'pending' }
      : { state: 'failed', providerCode: codeOf(body.code) };
  };
  const key = (value: string) => ({ header: 'idempotency-key', value });
  return {
    rails: ['card'],
    isRemote: true,
    provider: at.provider,
    open: ({ tenantId, paymentId, amount, description, returnUrl, webhookUrl }) =>
      ask({
        method: 'POST',
        path: '/v1/checkouts',
        key: key(`${paymentId}:open`),
        body: {
          merchantReference: paymentId,
          account: tenantId,
          amount: toDecimal(amount),
          currency: amount.currency,
          description,
          returnUrl,
          webhookUrl,
        },
      }),
    inquire: ({ paymentId }) => ask({ method: 'GET', path: byReference(paymentId) }),
    cancel: ({ paymentId }) => ask({ method: 'POST', path: `${byReference(paymentId)}/cancel`, body: {} }),
    refund: ({ refundId, captureReference, amount }) =>
      askRefund({
        method: 'POST',
        path: '/v1/refunds',
        key: key(`${refundId}:refund`),
        body: {
          merchantReference: refundId,
          paymentId: captureReference,
          amount: toDecimal(amount),
          currency: amount.currency,
        },
      }),
    inquireRefund: ({ refundId }) =>
      askRefund({ method: 'GET', path: `/v1/refunds/by-reference/${refundId}` }),
    readNotice: incoming => readNotice(at.webhookSecret, incoming),
  };
}

function standingOf(body: z.output<typeof checkout>): Standing {
  if (body.status === 'open') return { state: 'pending', redirectUrl: body.url };
  if (body.status === 'cancelled') return { state: 'cancelled' };
  if (body.status === 'expired') return { state: 'failed', reason: 'expired', providerCode: null };
  if (body.status === 'declined') {
    const providerCode = codeOf(body.declineCode);
    return { state: 'failed', reason: declineReasons[providerCode ?? ''] ?? 'declined', providerCode };
  }
  if (body.payment === null) throw new NoAnswer('a paid checkout without a payment');
  return { state: 'captured', reference: body.payment.id, amount: moneyOf(body.amount, body.currency) };
}

function readNotice(secret: string, { headers, bodySha256, body, now }: Incoming): Notice | undefined {
  const [, timestamp = '', signature = ''] =
    /^t=(\d+),v1=([0-9a-f]+)$/.exec(headerOf(headers, 'acquirer-signature')) ?? [];
  if (!isSignedBy(secret, { timestamp, bodySha256, signature }, now)) return undefined;
  const parsed = webhook.safeParse(body);
  if (!parsed.success) return undefined;
  const { id: eventId, type, account, data } = parsed.data;
  if (!isId('pay', data.merchantReference)) return undefined;
  const about = { eventId, account, paymentId: data.merchantReference };
  if (type === 'checkout.paid' && data.payment !== null) {
    const amount = moneyOf(data.amount, data.currency);
    return { ...about, says: 'captured', reference: data.payment.id, amount };
  }
  return { ...about, says: type.startsWith('refund.') ? 'refunded' : 'changed' };
}
