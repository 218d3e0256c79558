import { isId } from '@ghasi/domain-primitives/ids';
import { toDecimal } from '@ghasi/domain-primitives/money';
import { headerOf, isSignedBy } from '@ghasi/http/webhook-signature';
import { z } from 'zod';
import { type Gateway, type Incoming, NoAnswer, type Notice, type RefundStanding } from '../gateway.ts';
import type { Standing } from '../model.ts';
import { type Connection, callProvider, codeOf, moneyOf, type ProviderCall } from './provider-call.ts';

const amount = z.object({ currency_code: z.string(), value: z.string() });

const order = z.object({
  id: z.string(),
  status: z.enum(['CREATED', 'APPROVED', 'COMPLETED', 'VOIDED', 'DECLINED', 'EXPIRED']),
  links: z.array(z.object({ rel: z.string(), href: z.string() })),
  capture: z.object({ id: z.string(), amount }).nullable(),
  decline_code: z.string().nullable(),
});
type Order = z.output<typeof order>;

const refund = z.object({
  id: z.string(),
  status: z.enum(['COMPLETED', 'PENDING', 'FAILED']),
  reason_code: z.string().nullable(),
});

const webhook = z.object({
  id: z.string().min(1).max(100),
  event_type: z.string(),
  resource: z.object({
    custom_id: z.string(),
    reference_id: z.string(),
    capture: z.object({ id: z.string(), amount }).nullable(),
  }),
});

/** PayPal: the guest approves on PayPal's page, and the money moves when we capture the approved order. */
export function paypalGateway(at: Connection): Gateway {
  const key = (value: string) => ({ header: 'paypal-request-id', value });
  const ask = async (call: ProviderCall): Promise<Order | Standing> => {
    const { status, body } = await callProvider(at, call, order);
    if (status === 404) return { state: 'absent' };
    return body ?? { state: 'failed', reason: 'gateway_error', providerCode: String(status) };
  };
  const settled = async (paymentId: string, found: Order | Standing): Promise<Standing> => {
    if ('state' in found || found.status !== 'APPROVED') return standingOf(found);
    const path = `/v2/checkout/orders/${found.id}/capture`;
    return standingOf(await ask({ method: 'POST', path, key: key(`${paymentId}:capture`), body: {} }));
  };
  const askRefund = async (call: ProviderCall): Promise<RefundStanding> => {
    const { status, body } = await callProvider(at, call, refund);
    if (status === 404) return { state: 'absent' };
    if (body === undefined) return { state: 'failed', providerCode: String(status) };
    if (body.status === 'COMPLETED') return { state: 'completed', reference: body.id };
    if (body.status === 'PENDING') return { state: 'pending' };
    return { state: 'failed', providerCode: codeOf(body.reason_code) };
  };
  return {
    rails: ['paypal'],
    isRemote: true,
    provider: at.provider,
    open: async ({ tenantId, paymentId, amount: due, description, returnUrl, webhookUrl }) =>
      settled(
        paymentId,
        await ask({
          method: 'POST',
          path: '/v2/checkout/orders',
          key: key(`${paymentId}:open`),
          body: {
            reference_id: paymentId,
            custom_id: tenantId,
            description,
            amount: { currency_code: due.currency, value: toDecimal(due) },
            return_url: returnUrl,
            webhook_url: webhookUrl,
          },
        }),
      ),
    inquire: async ({ paymentId }) =>
      settled(paymentId, await ask({ method: 'GET', path: `/v2/checkout/orders/by-reference/${paymentId}` })),
    cancel: async ({ paymentId }) =>
      standingOf(
        await ask({ method: 'POST', path: `/v2/checkout/orders/by-reference/${paymentId}/void`, body: {} }),
      ),
    refund: ({ refundId, captureReference, amount: back }) =>
      askRefund({
        method: 'POST',
        path: `/v2/payments/captures/${captureReference}/refund`,
        key: key(`${refundId}:refund`),
        body: {
          invoice_id: refundId,
          amount: { currency_code: back.currency, value: toDecimal(back) },
        },
      }),
    inquireRefund: ({ refundId }) =>
      askRefund({ method: 'GET', path: `/v2/payments/refunds/by-invoice/${refundId}` }),
    readNotice: incoming => readNotice(at.webhookSecret, incoming),
  };
}

function standingOf(found: Order | Standing): Standing {
  if ('state' in found) return found;
  const redirectUrl = found.links.find(({ rel }) => rel === 'approve')?.href;
  switch (found.status) {
    case 'CREATED':
    case 'APPROVED':
      return { state: 'pending', ...(redirectUrl === undefined ? {} : { redirectUrl }) };
    case 'VOIDED':
      return { state: 'cancelled' };
    case 'EXPIRED':
      return { state: 'failed', reason: 'expired', providerCode: null };
    case 'DECLINED': {
      const providerCode = codeOf(found.decline_code);
      const reason = providerCode === 'INSUFFICIENT_FUNDS' ? 'insufficient_funds' : 'declined';
      return { state: 'failed', reason, providerCode };
    }
    case 'COMPLETED': {
      if (found.capture === null) throw new NoAnswer('a completed order without a capture');
      const { value, currency_code } = found.capture.amount;
      return { state: 'captured', reference: found.capture.id, amount: moneyOf(value, currency_code) };
    }
  }
}

function readNotice(secret: string, { headers, bodySha256, body, now }: Incoming): Notice | undefined {
  const timestamp = headerOf(headers, 'paypal-transmission-time');
  const signature = headerOf(headers, 'paypal-transmission-sig');
  if (!isSignedBy(secret, { timestamp, bodySha256, signature }, now)) return undefined;
  const parsed = webhook.safeParse(body);
  if (!parsed.success) return undefined;
  const { id: eventId, event_type: type, resource } = parsed.data;
  if (!isId('pay', resource.reference_id)) return undefined;
  const about = { eventId, account: resource.custom_id, paymentId: resource.reference_id };
  if (type === 'PAYMENT.CAPTURE.COMPLETED' && resource.capture !== null) {
    const { id: reference, amount: money } = resource.capture;
    return { ...about, says: 'captured', reference, amount: moneyOf(money.value, money.currency_code) };
  }
  return { ...about, says: type === 'PAYMENT.CAPTURE.REFUNDED' ? 'refunded' : 'changed' };
}
