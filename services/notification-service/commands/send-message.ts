import { accepted } from '@ghasi/db/accepted';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { type Id, parseTenantId } from '@ghasi/domain-primitives/ids';
import { enqueue } from '@ghasi/jobs/enqueue';
import { type Answer, type MessageChannel, NoAnswer, type Outgoing } from '../message-channel.ts';
import { assertNext, isDue, leaseMs, priorityOf } from '../model.ts';
import type { Post } from '../post.ts';
import { lockMessage, type Message, messageIdOf, updateMessage } from '../queries/messages.ts';
import { sendMessage } from '../tasks.ts';
import { applySaid, bounce } from './settle-message.ts';
import type { Running } from './write-letter.ts';

/** What came of it. `unanswered`: it is asked about or sent again, and nothing is assumed. */
export type Delivered = 'settled' | 'unanswered' | 'not_due';

/**
 * Hands a message to its provider. First the row is taken for a minute, so that two workers do not send at once; then
 * the provider is called, outside any transaction; then its word is taken in. A worker that dies in between leaves a
 * message that is `sending`: the next one asks, or repeats the same try under the same key.
 */
export async function sendMessageNow(
  { transaction, now }: Running,
  post: Post,
  { messageId }: { messageId: Id<'msg'> },
): Promise<Delivered> {
  const taken: { message?: Message; isRepeated?: boolean } = {};
  await transaction(async ctx => {
    const message = await lockMessage(ctx.tx, messageId);
    if (!isDue(message.nextTryAt, now)) return undefined;
    if (message.expiresAt <= now) return expire(ctx, post, message);
    taken.isRepeated = message.status === 'sending';
    taken.message = take(ctx, message, new Date(now.getTime() + leaseMs));
    return undefined;
  });
  const { message, isRepeated = false } = taken;
  const channel = message === undefined ? undefined : post.channel(message.channel);
  if (message === undefined) return 'not_due';
  let said: Answer;
  try {
    if (channel === undefined) throw new NoAnswer(message.channel); // it was switched off meanwhile
    const validForMs = message.expiresAt.getTime() - now.getTime();
    said = await call(channel, { ...outgoing(message, post, channel.provider), validForMs }, isRepeated);
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error;
    await transaction(ctx => askLater(ctx, post, messageId));
    return 'unanswered';
  }
  await transaction(async ctx =>
    accepted(
      'settled',
      await applySaid(ctx, post, { messageId, said: { ...said, attempt: message.attempt } }),
    ),
  );
  return 'settled';
}

/** The row is ours for a minute. After a definite no this is a new try, with a new key. */
function take(ctx: Ctx, message: Message, lease: Date): Message {
  const isNewTry = message.status === 'bounced';
  if (message.status !== 'sending') assertNext(message.status, 'sending');
  return updateMessage(ctx, message, {
    status: 'sending',
    calls: message.calls + 1,
    nextTryAt: lease,
    ...(isNewTry ? { attempt: message.attempt + 1, providerReference: null } : {}),
  });
}

async function expire(ctx: Ctx, post: Post, message: Message) {
  // Bounced before, and its next try would come too late: everybody knows already.
  if (message.status === 'bounced')
    return updateMessage(ctx, message, { nextTryAt: null, isPermanent: true });
  return accepted('expired', await bounce(ctx, post, { message, reason: 'expired', permanent: true }));
}

async function call(channel: MessageChannel, message: Outgoing, isRepeated: boolean): Promise<Answer> {
  if (!isRepeated || channel.inquire === undefined) return channel.send(message);
  const known = await channel.inquire(message);
  return known.state === 'absent' ? channel.send(message) : known;
}

function outgoing(message: Message, post: Post, provider: string): Omit<Outgoing, 'validForMs'> {
  const tenantId = parseTenantId(message.tenantId);
  const { attempt, html, locale, replyTo } = message;
  return {
    tenantId,
    messageId: messageIdOf(message),
    to: message.address ?? '',
    senderName: message.senderName ?? '',
    subject: message.subject ?? '',
    text: message.body ?? '',
    receiptUrl: post.receiptUrl(provider, tenantId),
    ...{ attempt, html, locale, replyTo },
  };
}

/** Silence is no outcome: it stays `sending`, and the row carries the time of the next question. */
async function askLater(ctx: Ctx, post: Post, messageId: Id<'msg'>): Promise<void> {
  const message = await lockMessage(ctx.tx, messageId);
  if (message.status !== 'sending') return; // a receipt was quicker
  const nextTryAt = post.nextTry(message.calls, ctx.now);
  updateMessage(ctx, message, { nextTryAt });
  const options = { key: messageId, runAt: nextTryAt, priority: priorityOf(message.template) };
  await enqueue(ctx, sendMessage, { messageId }, options);
}
