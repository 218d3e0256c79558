import type { Ctx } from '@ghasi/db/tenant-transaction';
import type { Id } from '@ghasi/domain-primitives/ids';
import type { PendingEvent } from '@ghasi/event-envelope/define-event';
import { enqueue } from '@ghasi/jobs/enqueue';
import { MessageBounced, MessageDelivered, MessageDispatched } from '../contract.ts';
import { assertNext, type BounceReason, priorityOf, type Said, settle } from '../model.ts';
import type { Post } from '../post.ts';
import { lockLetter, updateLetter } from '../queries/letters.ts';
import {
  headOf,
  lockMessage,
  type Message,
  messageIdOf,
  messagesOf,
  updateMessage,
} from '../queries/messages.ts';
import { suppress } from '../queries/suppressions.ts';
import { sendMessage, writeLetter } from '../tasks.ts';

/**
 * Takes in what is said about a message, from wherever it came: an answer, a question, a receipt. They meet at the
 * message's lock; the first one counts, the others find it done.
 */
export async function applySaid(
  ctx: Ctx,
  post: Post,
  { messageId, said }: { messageId: Id<'msg'>; said: Said },
): Promise<readonly PendingEvent[]> {
  const message = await lockMessage(ctx.tx, messageId);
  const { status, attempt, dispatchedAt } = message;
  const outcome = settle({ status, attempt, isDispatched: dispatchedAt !== null }, said);
  if (outcome.kind === 'unchanged') return [];
  if (outcome.kind === 'bounced') return bounce(ctx, post, { message, ...outcome });
  assertNext(status, outcome.kind);
  const common = { providerReference: outcome.reference, reason: null, isPermanent: false, nextTryAt: null };
  // A receipt can say in one breath that it was taken and has arrived: two facts, two versions.
  const isFirst = outcome.kind === 'dispatched' || outcome.first;
  const taken = isFirst
    ? updateMessage(ctx, message, { ...common, status: 'dispatched', dispatchedAt: ctx.now })
    : message;
  const events = isFirst ? [MessageDispatched.from(headOf(taken), { aggregateVersion: taken.version })] : [];
  if (outcome.kind === 'dispatched') return events as PendingEvent[];
  const change = { ...common, status: 'delivered', deliveredAt: outcome.at } as const;
  const now = updateMessage(ctx, taken, change);
  const deliveredAt = outcome.at.toISOString();
  const arrived = MessageDelivered.from({ ...headOf(now), deliveredAt }, { aggregateVersion: now.version });
  return [...events, arrived] as PendingEvent[];
}

/** It did not arrive: another try later, or for good; then another channel, if the letter has one left. */
export async function bounce(
  ctx: Ctx,
  post: Post,
  { message, reason, permanent }: { message: Message; reason: BounceReason; permanent: boolean },
): Promise<readonly PendingEvent[]> {
  assertNext(message.status, 'bounced');
  const again = post.nextTry(message.calls, ctx.now);
  const isOver = permanent || again >= message.expiresAt;
  const now = updateMessage(ctx, message, {
    status: 'bounced',
    reason,
    isPermanent: isOver,
    bouncedAt: ctx.now,
    nextTryAt: isOver ? null : again,
  });
  if (!isOver) {
    const messageId = messageIdOf(now);
    const priority = priorityOf(now.template);
    await enqueue(ctx, sendMessage, { messageId }, { key: messageId, runAt: again, priority });
  }
  if (permanent) remember(ctx, now);
  if (isOver && reason !== 'expired') await tryAnotherChannel(ctx, now);
  const told = { ...headOf(now), reason, permanent: isOver };
  return [MessageBounced.from(told, { aggregateVersion: now.version }) as PendingEvent];
}

/** What will never work is not tried again by the next letter. */
function remember(ctx: Ctx, { channel, addressHash, reason }: Message): void {
  if (addressHash === null || (reason !== 'unknown_address' && reason !== 'opted_out')) return;
  const source = reason === 'opted_out' ? 'provider' : 'bounce';
  suppress(ctx, { channel, addressHash, scope: 'all', source });
}

async function tryAnotherChannel(ctx: Ctx, { letterId, template }: Message): Promise<void> {
  const [letter, others] = await Promise.all([lockLetter(ctx.tx, letterId), messagesOf(ctx.tx, letterId)]);
  const isHopeless = others.every(({ status, isPermanent }) => status === 'bounced' && isPermanent);
  if (!isHopeless || letter.state !== 'written' || letter.wantedChannel !== null) return;
  updateLetter(ctx, letterId, { state: 'waiting', nextTryAt: ctx.now });
  await enqueue(ctx, writeLetter, { letterId }, { key: letterId, priority: priorityOf(template) });
}
