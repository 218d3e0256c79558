import { type Answer, answer } from '@ghasi/backbone/question';
import { type Actor, tenantRead, tenantTransaction } from '@ghasi/db/tenant-transaction';
import { idToUuid } from '@ghasi/domain-primitives/ids';
import { rail } from '@melmastoon/catalog/hotel-parts';
import { collectPayment } from './commands/payments.ts';
import { checkoutOf, collect, railsOffered, settleReturn } from './contract.ts';
import type { Payments } from './payments.ts';
import { listIntents } from './queries/intents.ts';
import { returned } from './returned.ts';
import { viewCheckout } from './views.ts';

const self: Actor = { type: 'service', id: 'payment-gateway-service' };

/** What other services may ask inside a request. */
export function paymentAnswers(payments: Payments): Answer[] {
  return [
    answer(railsOffered, async () => ({
      rails: rail.options.filter(one => payments.gatewayOf(one) !== undefined),
    })),
    answer(checkoutOf, ({ db, log }, { tenantId, reservationId, purpose }) =>
      tenantRead(db, { tenantId, actor: self, log }, async ({ tx }) => {
        const newest = (await listIntents(tx, idToUuid(reservationId))).find(one => one.purpose === purpose);
        return newest === undefined ? null : viewCheckout(newest);
      }),
    ),
    answer(
      settleReturn,
      async ({ db, log }, of) => (await returned(payments, { db, log, now: new Date() }, of)) ?? null,
    ),
    answer(collect, async ({ db, log }, { tenantId, ...asked }) => {
      const who = { tenantId, actor: self, log };
      const made = await tenantTransaction(db, who, ctx => collectPayment(ctx, payments, asked));
      return made === undefined ? null : viewCheckout(made);
    }),
  ];
}
