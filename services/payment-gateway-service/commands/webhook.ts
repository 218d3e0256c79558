import { type Accepted, accepted } from '@ghasi/db/accepted';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { idFromUuid } from '@ghasi/domain-primitives/ids';
import { enqueue } from '@ghasi/jobs/enqueue';
import type { Notice } from '../gateway.ts';
import { found } from '../model.ts';
import { findIntent, lockIntent, updateIntent } from '../queries/intents.ts';
import { listRefunds, lockRefund, updateRefund } from '../queries/refunds.ts';
import { notices } from '../tables.ts';
import { checkPayment, checkRefund } from '../tasks.ts';
import { applyStanding } from './settle.ts';

/** What a webhook changed: nothing when the provider had sent it before. */
export type Taken = 'taken' | 'known';

/**
 * Takes in a webhook whose signature fits, once per event id of the provider. A capture is believed: it is signed, and
 * money that moved does not move back. Everything else is only a reason to ask: messages overtake each other.
 */
export async function takeNotice(
  ctx: Ctx,
  { provider, notice, bodySha256 }: { provider: string; notice: Notice; bodySha256: string },
): Promise<Accepted<Taken>> {
  const intent = found(await findIntent(ctx.tx, notice.paymentId), 'Payment');
  // Somebody else's provider cannot speak about this payment.
  if (intent.provider !== provider) return accepted('known', []);
  const { rowCount } = await ctx.tx
    .insert(notices)
    .values({
      tenantId: ctx.tenantId,
      provider,
      eventId: notice.eventId,
      paymentId: intent.id,
      says: notice.says,
      bodySha256,
      receivedAt: ctx.now,
    })
    .onConflictDoNothing();
  if (rowCount === 0) return accepted('known', []);
  if (notice.says === 'captured') {
    const { reference, amount } = notice;
    const done = await applyStanding(ctx, notice.paymentId, { state: 'captured', reference, amount });
    return accepted('taken', done.events);
  }
  await askSoon(ctx, notice);
  return accepted('taken', []);
}

async function askSoon(ctx: Ctx, { paymentId, says }: Notice): Promise<void> {
  const intent = await lockIntent(ctx.tx, paymentId);
  if (says === 'refunded') {
    for (const { id } of (await listRefunds(ctx.tx, intent.id)).filter(one => one.status === 'unknown')) {
      const refundId = idFromUuid('rfd', id);
      updateRefund(ctx, await lockRefund(ctx.tx, refundId), { nextCheckAt: ctx.now });
      await enqueue(ctx, checkRefund, { refundId }, { key: refundId });
    }
    return;
  }
  if (intent.nextCheckAt === null) return;
  updateIntent(ctx, intent, { nextCheckAt: ctx.now });
  await enqueue(ctx, checkPayment, { paymentId }, { key: paymentId });
}
