import { signWebhook } from '@ghasi/http/webhook-signature';
import type { SimulatedCheckout, SimulatedRefund } from './simulated-provider.ts';
import type { Protocol } from './simulator.ts';

const view = (one: Readonly<SimulatedCheckout>, url: string) => ({
  id: one.id,
  merchantReference: one.reference,
  status: one.status === 'approved' ? 'open' : one.status,
  url: `${url}/pay/${one.id}`,
  amount: one.amount,
  currency: one.currency,
  payment: one.captureId === null ? null : { id: one.captureId },
  declineCode: one.code,
});
const refundView = ({ id, status, code }: SimulatedRefund) => ({ id, status, code });
const types = {
  opened: 'checkout.opened',
  approved: 'checkout.opened',
  paid: 'checkout.paid',
  declined: 'checkout.declined',
  cancelled: 'checkout.cancelled',
  refunded: 'refund.succeeded',
} as const;

/** The card acquirer's way to speak. */
export const cardProtocol: Protocol = {
  name: 'card',
  read({ method, path, body }, provider, url) {
    const text = (name: string) => String(body[name]);
    if (method === 'POST' && path === '/v1/checkouts') {
      const wanted = {
        reference: text('merchantReference'),
        account: text('account'),
        amount: text('amount'),
        currency: text('currency'),
        description: text('description'),
        returnUrl: text('returnUrl'),
        webhookUrl: text('webhookUrl'),
      };
      return {
        operation: 'open',
        run: () => ({ status: 201, body: view(provider.open(wanted), url) }),
      };
    }
    if (method === 'POST' && path === '/v1/refunds') {
      const wanted = {
        reference: text('merchantReference'),
        amount: text('amount'),
        currency: text('currency'),
      };
      const run = () => {
        const paid = [...provider.checkouts.values()].find(one => one.captureId === body.paymentId);
        if (paid === undefined) return { status: 404, body: {} };
        return { status: 201, body: refundView(provider.refund(paid, wanted)) };
      };
      return { operation: 'refund', run };
    }
    const [, kind, reference = '', cancel] =
      /^\/v1\/(checkouts|refunds)\/by-reference\/(\w+)(\/cancel)?$/.exec(path) ?? [];
    if (kind === 'refunds') {
      const run = () => {
        const known = provider.refunds.get(reference);
        return known === undefined ? { status: 404, body: {} } : { status: 200, body: refundView(known) };
      };
      return { operation: 'inquire-refund', run };
    }
    if (kind !== 'checkouts') return undefined;
    const run = () => {
      const known = provider.checkouts.get(reference);
      if (known === undefined) return { status: 404, body: {} };
      if (cancel !== undefined) provider.cancel(known);
      return { status: 200, body: view(known, url) };
    };
    return { operation: cancel === undefined ? 'inquire' : 'cancel', run };
  },
  webhook: ({ id, kind, checkout }) => ({
    id,
    type: types[kind],
    account: checkout.account,
    data: view(checkout, ''),
  }),
  sign: (secret, timestamp, bodySha256) => ({
    'acquirer-signature': `t=${timestamp},v1=${signWebhook(secret, { timestamp, bodySha256 })}`,
  }),
};
