import type { Ctx } from '@ghasi/db/tenant-transaction';
import { type Id, idFromUuid } from '@ghasi/domain-primitives/ids';
import { uuid7 } from '@ghasi/domain-primitives/uuid';
import { errors } from '../errors.ts';
import { type Channel, found } from '../model.ts';
import type { Post } from '../post.ts';
import { findLetter } from '../queries/letters.ts';
import { findMessage, type Message } from '../queries/messages.ts';
import { noteLetter } from './note-letter.ts';

/**
 * Writes about the same fact once more, because somebody at the desk asks for it: to the address the booking has now,
 * by the channel that is asked for, or by whatever works.
 */
export async function resendMessage(
  ctx: Ctx,
  post: Post,
  { messageId, channel }: { messageId: Id<'msg'>; channel: Channel | null },
): Promise<Message> {
  if (channel !== null && !post.installed.includes(channel)) throw errors.CHANNEL_NOT_OFFERED({ channel });
  const message = found(await findMessage(ctx.tx, messageId), 'Message');
  const letter = await findLetter(ctx.tx, message.letterId);
  await noteLetter(ctx, post, {
    template: letter.template,
    cause: `resend:${uuid7()}`,
    reservationId: idFromUuid('rsv', letter.reservationId),
    propertyId: idFromUuid('pro', letter.propertyId),
    facts: letter.facts,
    occurredAt: ctx.now,
    channel,
  });
  return message;
}
