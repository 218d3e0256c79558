import { type Actor, tenantTransaction } from '@ghasi/db/tenant-transaction';
import { coreErrors } from '@ghasi/domain-primitives/errors';
import { parseTenantId } from '@ghasi/domain-primitives/ids';
import { type AnyRoute, defineRoute, open } from '@ghasi/http/route';
import { z } from 'zod';
import { takeReceipts } from '../commands/take-receipt.ts';
import { anyObject, receiptParams } from '../contract/resources.ts';
import { errors } from '../errors.ts';
import type { Post } from '../post.ts';

/** What providers call. Nobody signs in: a receipt has its signature. */
export function receiptRoutes(post: Post): readonly AnyRoute[] {
  return [
    defineRoute({
      method: 'POST',
      path: '/api/v1/message-receipts/:provider/:account',
      summary: 'A provider tells what became of messages; signed over the raw body, taken once per event id',
      auth: open(),
      params: receiptParams,
      body: anyObject,
      returns: { 200: z.strictObject({ taken: z.enum(['taken', 'known']) }) },
      errors: [coreErrors.NOT_FOUND, errors.RECEIPT_REFUSED],
      transaction: 'none',
      idempotency: { none: 'the provider sends no key of ours: its own event id is kept and taken once' },
      rateLimit: { limit: 6_000, windowMs: 60_000, per: 'address' },
      async handler(ctx, { params: { provider, account }, body }, request) {
        const bodySha256 = await request.bodySha256();
        const { headers } = request;
        const list = post.provider(provider)?.readReceipts({ headers, bodySha256, body, now: ctx.now });
        // The address is not signed, the body is: it must name the account it was sent to.
        if (list === undefined || list.some(({ tenantId }) => tenantId !== account))
          throw errors.RECEIPT_REFUSED();
        const actor: Actor = { type: 'service', id: `provider:${provider}` };
        const who = { tenantId: parseTenantId(account), actor, now: ctx.now, log: ctx.log };
        const taken = await tenantTransaction(ctx.db, who, inner =>
          takeReceipts(inner, post, { provider, list }),
        );
        return { status: 200, body: { taken } };
      },
    }),
  ];
}
