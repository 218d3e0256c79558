import { and, asc, desc, eq, isNull, lt } from '@ghasi/db/drizzle';
import { conflict, touch } from '@ghasi/db/optimistic';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { type Id, idFromUuid, idToUuid } from '@ghasi/domain-primitives/ids';
import { found } from '../model.ts';
import { messages } from '../tables.ts';

/** A row of the messages. */
export type Message = typeof messages.$inferSelect;
export type NewMessage = typeof messages.$inferInsert;
type Tx = Ctx['tx'];

export const messageIdOf = ({ id }: Pick<Message, 'id'>): Id<'msg'> => idFromUuid('msg', id);

/** What every event about a message begins with. A provider's name for it may hold what an event must not. */
export function headOf(message: Message) {
  const { reservationId, propertyId, guestId, template, channel, locale, provider, attempt } = message;
  const messageId = messageIdOf(message);
  return {
    messageId,
    recipient: { kind: 'guest' as const, guestId: idFromUuid('gst', guestId) },
    reservationId: idFromUuid('rsv', reservationId),
    propertyId: idFromUuid('pro', propertyId),
    ...{ template, channel, locale, attempt },
    provider: provider ?? 'none',
    providerReference: (message.providerReference ?? messageId).replaceAll(/[^\w.:@<>-]/g, '-').slice(0, 200),
  };
}

export function insertMessage({ tx, write }: Ctx, message: NewMessage): void {
  write(tx.insert(messages).values(message));
}

/** The message, locked until the transaction ends: whoever has news of it comes after us. */
export async function lockMessage(tx: Tx, messageId: Id<'msg'>): Promise<Message> {
  const [row] = await tx
    .select()
    .from(messages)
    .where(eq(messages.id, idToUuid(messageId)))
    .for('update');
  return found(row, 'Message');
}

export async function findMessage(tx: Tx, messageId: Id<'msg'>): Promise<Message | undefined> {
  const [row] = await tx
    .select()
    .from(messages)
    .where(eq(messages.id, idToUuid(messageId)));
  return row;
}

/** The messages of a reservation, newest first. */
export function listMessages(tx: Tx, reservationId: Id<'rsv'>): Promise<Message[]> {
  return tx
    .select()
    .from(messages)
    .where(eq(messages.reservationId, idToUuid(reservationId)))
    .orderBy(desc(messages.id))
    .limit(200);
}

/** The messages of a letter, one per channel. */
export function messagesOf(tx: Tx, letterId: string): Promise<Message[]> {
  return tx.select().from(messages).where(eq(messages.letterId, letterId)).orderBy(asc(messages.id));
}

/** Changes a message that is locked, one version up; returns it as it is then. */
export function updateMessage({ tx, write }: Ctx, message: Message, change: Partial<Message>): Message {
  const changed = { ...change, version: message.version + 1 };
  const update = tx
    .update(messages)
    .set(changed)
    .where(and(eq(messages.id, message.id), eq(messages.version, message.version)));
  write(touch(tx, update, conflict('message')));
  return { ...message, ...changed };
}

/** Forgets addresses and texts of messages that are older and have nothing left to do; what became of them stays. */
export async function purgeBefore(tx: Tx, before: Date, now: Date): Promise<number> {
  const nothing = { address: null, addressHash: null, shownAddress: null, replyTo: null, senderName: null };
  const { rowCount } = await tx
    .update(messages)
    .set({ ...nothing, subject: null, body: null, html: null, purgedAt: now })
    .where(and(lt(messages.createdAt, before), isNull(messages.purgedAt), isNull(messages.nextTryAt)));
  return rowCount ?? 0;
}
