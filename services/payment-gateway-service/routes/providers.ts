import { type Actor, tenantTransaction } from '@ghasi/db/tenant-transaction';
import { coreErrors } from '@ghasi/domain-primitives/errors';
import { parseTenantId } from '@ghasi/domain-primitives/ids';
import { type AnyRoute, defineRoute, open } from '@ghasi/http/route';
import { idText, tenantIdText } from '@melmastoon/catalog/parts';
import { z } from 'zod';
import { takeNotice } from '../commands/webhook.ts';
import { anyObject, webhookParams } from '../contract/resources.ts';
import { checkoutFacts } from '../contract.ts';
import { errors } from '../errors.ts';
import { NoAnswer } from '../gateway.ts';
import { found } from '../model.ts';
import type { Payments } from '../payments.ts';
import { returned } from '../returned.ts';

/** What providers and browsers call. Nobody signs in: a webhook has its signature, a return is only a reason to ask. */
export function providerRoutes(payments: Payments): readonly AnyRoute[] {
  return [
    defineRoute({
      method: 'POST',
      path: '/api/v1/payment-webhooks/:provider/:account',
      summary: 'A provider tells what happened; signed over the raw body, taken once per event id',
      auth: open(),
      params: webhookParams,
      body: anyObject,
      returns: { 200: z.strictObject({ taken: z.enum(['taken', 'known']) }) },
      errors: [coreErrors.NOT_FOUND, errors.WEBHOOK_REFUSED],
      transaction: 'none',
      idempotency: { none: 'the provider sends no key of ours: its own event id is kept and taken once' },
      rateLimit: { limit: 3_000, windowMs: 60_000, per: 'address' },
      async handler(ctx, { params: { provider, account }, body }, request) {
        const bodySha256 = await request.bodySha256();
        const { headers } = request;
        const gateway = payments.provider(provider);
        const notice = readable(() => gateway?.readNotice({ headers, bodySha256, body, now: ctx.now }));
        // The address is not signed, the body is: it must name the account it was sent to.
        if (notice === undefined || notice.account !== account) throw errors.WEBHOOK_REFUSED();
        const actor: Actor = { type: 'service', id: `provider:${provider}` };
        const who = { tenantId: parseTenantId(account), actor, now: ctx.now, log: ctx.log };
        const taken = await tenantTransaction(ctx.db, who, inner =>
          takeNotice(inner, { provider, notice, bodySha256 }),
        );
        return { status: 200, body: { taken } };
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/api/v1/payment-returns/:account/:paymentId',
      summary: 'A browser is back from the provider’s page: ask the provider what became of it',
      auth: open(),
      params: z.strictObject({ account: tenantIdText, paymentId: idText('pay') }),
      returns: { 200: checkoutFacts },
      errors: [coreErrors.NOT_FOUND],
      transaction: 'none',
      idempotency: { none: 'it only asks; what it learns is booked once by the ledger’s own keys' },
      rateLimit: { limit: 60, windowMs: 60_000, per: 'address' },
      async handler(ctx, { params: { account: tenantId, paymentId } }) {
        const facts = await returned(
          payments,
          { db: ctx.db, log: ctx.log, now: ctx.now },
          { tenantId, paymentId },
        );
        return { status: 200, body: found(facts, 'Payment') };
      },
    }),
  ];
}

/** A signed message with an amount nobody can read is refused like any other we do not understand. */
function readable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof NoAnswer) return undefined;
    throw error;
  }
}
