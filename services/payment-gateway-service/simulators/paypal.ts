import type { Call } from '@ghasi/http/vendor-simulator';
import { signWebhook } from '@ghasi/http/webhook-signature';
import type { SimulatedCheckout, SimulatedRefund } from './simulated-provider.ts';
import type { Protocol } from './simulator.ts';

const statuses = {
  open: 'CREATED',
  approved: 'APPROVED',
  paid: 'COMPLETED',
  declined: 'DECLINED',
  expired: 'EXPIRED',
  cancelled: 'VOIDED',
} as const;
const types = {
  opened: 'CHECKOUT.ORDER.CREATED',
  approved: 'CHECKOUT.ORDER.APPROVED',
  paid: 'PAYMENT.CAPTURE.COMPLETED',
  declined: 'PAYMENT.CAPTURE.DENIED',
  cancelled: 'CHECKOUT.ORDER.VOIDED',
  refunded: 'PAYMENT.CAPTURE.REFUNDED',
} as const;

const captureOf = ({ captureId, amount, currency }: Readonly<SimulatedCheckout>) =>
  captureId === null ? null : { id: captureId, amount: { currency_code: currency, value: amount } };
const view = (one: Readonly<SimulatedCheckout>, url: string) => ({
  id: one.id,
  status: statuses[one.status],
  links: [{ rel: 'approve', href: `${url}/pay/${one.id}` }],
  capture: captureOf(one),
  decline_code: one.code,
});
const refundView = ({ id, status, code }: SimulatedRefund) => ({
  id,
  status: status === 'succeeded' ? 'COMPLETED' : status.toUpperCase(),
  reason_code: code,
});
const moneyIn = (body: Call['body']) => {
  const { currency_code, value } = body.amount as { currency_code: string; value: string };
  return { amount: String(value), currency: String(currency_code) };
};
const absent = { status: 404, body: {} };

/** PayPal's way to speak: an order is approved by the guest and captured by the merchant. */
export const paypalProtocol: Protocol = {
  name: 'paypal',
  capturesLater: true,
  read({ method, path, body }, provider, url) {
    const text = (name: string) => String(body[name]);
    if (method === 'POST' && path === '/v2/checkout/orders') {
      const wanted = {
        reference: text('reference_id'),
        account: text('custom_id'),
        description: text('description'),
        returnUrl: text('return_url'),
        webhookUrl: text('webhook_url'),
      };
      const run = () => ({ status: 201, body: view(provider.open({ ...wanted, ...moneyIn(body) }), url) });
      return { operation: 'open', run };
    }
    const order = /^\/v2\/checkout\/orders\/(by-reference\/)?([\w-]+)(\/void|\/capture)?$/.exec(path);
    if (order !== null) {
      const [, byReference, name = '', verb] = order;
      const run = () => {
        const known = byReference === undefined ? provider.byId(name) : provider.checkouts.get(name);
        if (known === undefined) return absent;
        if (verb === '/void') provider.cancel(known);
        if (verb === '/capture' && known.status === 'approved') provider.pay(known);
        return { status: 200, body: view(known, url) };
      };
      return { operation: verb === '/void' ? 'cancel' : verb === '/capture' ? 'capture' : 'inquire', run };
    }
    const [, capture] = /^\/v2\/payments\/captures\/([\w-]+)\/refund$/.exec(path) ?? [];
    if (capture !== undefined) {
      const run = () => {
        const paid = [...provider.checkouts.values()].find(one => one.captureId === capture);
        if (paid === undefined) return absent;
        const made = provider.refund(paid, { reference: text('invoice_id'), ...moneyIn(body) });
        return { status: 201, body: refundView(made) };
      };
      return { operation: 'refund', run };
    }
    const [, invoice] = /^\/v2\/payments\/refunds\/by-invoice\/(\w+)$/.exec(path) ?? [];
    if (invoice === undefined) return undefined;
    const run = () => {
      const known = provider.refunds.get(invoice);
      return known === undefined ? absent : { status: 200, body: refundView(known) };
    };
    return { operation: 'inquire-refund', run };
  },
  webhook: ({ id, kind, checkout }) => ({
    id,
    event_type: types[kind],
    resource: {
      custom_id: checkout.account,
      reference_id: checkout.reference,
      capture: captureOf(checkout),
    },
  }),
  sign: (secret, timestamp, bodySha256) => ({
    'paypal-transmission-time': timestamp,
    'paypal-transmission-sig': signWebhook(secret, { timestamp, bodySha256 }),
  }),
};
