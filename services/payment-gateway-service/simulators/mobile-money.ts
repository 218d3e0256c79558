import { signWebhook } from '@ghasi/http/webhook-signature';
import type { SimulatedCheckout, SimulatedRefund } from './simulated-provider.ts';
import type { Protocol } from './simulator.ts';

const statuses = {
  open: 'PENDING',
  approved: 'PENDING',
  paid: 'SUCCESS',
  declined: 'FAILED',
  expired: 'EXPIRED',
  cancelled: 'CANCELLED',
} as const;
const events = {
  opened: 'payment.started',
  approved: 'payment.started',
  paid: 'payment.success',
  declined: 'payment.failed',
  cancelled: 'payment.cancelled',
  refunded: 'refund.success',
} as const;
const nothing = {
  status: 'NOT_FOUND',
  transactionId: null,
  amount: null,
  currency: null,
  payUrl: null,
  reason: null,
};

const view = (one: Readonly<SimulatedCheckout>, url: string) => ({
  status: statuses[one.status],
  transactionId: one.captureId,
  amount: one.amount,
  currency: one.currency,
  payUrl: `${url}/pay/${one.id}`,
  reason: one.code === '51' ? 'LOW_BALANCE' : one.code,
});
const refundView = ({ id, status, code }: SimulatedRefund) => ({
  status: status === 'succeeded' ? 'SUCCESS' : status.toUpperCase(),
  transactionId: id,
  reason: code,
});

/** The wallet's way to speak: every question is a POST and every answer a 200. */
export const mobileMoneyProtocol: Protocol = {
  name: 'mobile_money',
  read({ method, path, body }, provider, url) {
    if (method !== 'POST') return undefined;
    const text = (name: string) => String(body[name]);
    const order = (then: (known: SimulatedCheckout) => object) => () => {
      const known = provider.checkouts.get(text('orderId'));
      return { status: 200, body: known === undefined ? nothing : then(known) };
    };
    switch (path) {
      case '/api/payments': {
        const wanted = {
          reference: text('orderId'),
          account: text('merchant'),
          amount: text('amount'),
          currency: text('currency'),
          description: text('description'),
          returnUrl: text('returnUrl'),
          webhookUrl: text('callbackUrl'),
        };
        return { operation: 'open', run: () => ({ status: 200, body: view(provider.open(wanted), url) }) };
      }
      case '/api/payments/status':
        return { operation: 'inquire', run: order(known => view(known, url)) };
      case '/api/payments/cancel':
        return {
          operation: 'cancel',
          run: order(known => {
            provider.cancel(known);
            return view(known, url);
          }),
        };
      case '/api/refunds': {
        const wanted = { reference: text('refundId'), amount: text('amount'), currency: text('currency') };
        return {
          operation: 'refund',
          run: order(known => refundView(provider.refund(known, wanted))),
        };
      }
      case '/api/refunds/status': {
        const run = () => {
          const known = provider.refunds.get(text('refundId'));
          return { status: 200, body: known === undefined ? nothing : refundView(known) };
        };
        return { operation: 'inquire-refund', run };
      }
      default:
        return undefined;
    }
  },
  webhook: ({ id, kind, checkout }) => ({
    callbackId: id,
    merchant: checkout.account,
    orderId: checkout.reference,
    event: events[kind],
    transactionId: checkout.captureId,
    amount: checkout.amount,
    currency: checkout.currency,
  }),
  sign: (secret, timestamp, bodySha256) => ({
    'x-wallet-timestamp': timestamp,
    'x-wallet-signature': signWebhook(secret, { timestamp, bodySha256 }),
  }),
};
