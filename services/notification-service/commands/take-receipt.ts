import { type Accepted, accepted } from '@ghasi/db/accepted';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import type { Receipt } from '../message-channel.ts';
import { found } from '../model.ts';
import type { Post } from '../post.ts';
import { findMessage } from '../queries/messages.ts';
import { receipts } from '../tables.ts';
import { applySaid } from './settle-message.ts';

/** What a webhook changed: nothing when its provider had sent it before. */
export type Taken = 'taken' | 'known';

/** Takes in receipts whose signature fits, each once per event id of the provider, in whatever order they come. */
export async function takeReceipts(
  ctx: Ctx,
  post: Post,
  { provider, list }: { provider: string; list: readonly Receipt[] },
): Promise<Accepted<Taken>> {
  const events: unknown[] = [];
  let taken: Taken = 'known';
  for (const { eventId, messageId, said } of list) {
    const message = found(await findMessage(ctx.tx, messageId), 'Message');
    if (message.provider !== provider) continue; // somebody else's provider cannot speak about this message
    const { rowCount } = await ctx.tx
      .insert(receipts)
      .values({
        tenantId: ctx.tenantId,
        provider,
        eventId,
        messageId: message.id,
        says: said.state,
        receivedAt: ctx.now,
      })
      .onConflictDoNothing();
    if (rowCount === 0) continue;
    taken = 'taken';
    events.push(...(await applySaid(ctx, post, { messageId, said })));
  }
  return accepted(taken, events);
}
