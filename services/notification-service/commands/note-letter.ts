import type { Ctx } from '@ghasi/db/tenant-transaction';
import { type Id, idToUuid } from '@ghasi/domain-primitives/ids';
import { uuid7 } from '@ghasi/domain-primitives/uuid';
import { enqueue } from '@ghasi/jobs/enqueue';
import { type Channel, priorityOf, type Template } from '../model.ts';
import type { Post } from '../post.ts';
import { insertLetter } from '../queries/letters.ts';
import { writeLetter } from '../tasks.ts';
import type { Facts } from '../wording/values.ts';

/** A fact that a guest is to be told about. */
export type Fact = {
  readonly template: Template;
  /** The same fact has the same cause, however often and whenever it arrives. */
  readonly cause: string;
  readonly reservationId: Id<'rsv'>;
  readonly propertyId: Id<'pro'>;
  /** Of the booking, where a newer one makes this letter pointless. */
  readonly reservationVersion?: number;
  readonly facts: Facts;
  readonly occurredAt: Date;
  readonly channel?: Channel | null;
};

/**
 * Keeps a fact to be written about, once, and has it written. False: it is known, or so old that nobody should hear of
 * it now: a replay of history writes to nobody.
 */
export async function noteLetter(ctx: Ctx, post: Post, fact: Fact): Promise<boolean> {
  const { template, cause, facts, occurredAt } = fact;
  const expiresAt = new Date(occurredAt.getTime() + post.usefulFor(template));
  if (expiresAt <= ctx.now) return false;
  const id = uuid7();
  const isNew = await insertLetter(ctx.tx, {
    tenantId: ctx.tenantId,
    id,
    cause,
    template,
    reservationId: idToUuid(fact.reservationId),
    propertyId: idToUuid(fact.propertyId),
    reservationVersion: fact.reservationVersion ?? null,
    facts,
    wantedChannel: fact.channel ?? null,
    state: 'waiting',
    nextTryAt: ctx.now,
    occurredAt,
    expiresAt,
    createdAt: ctx.now,
  });
  const options = { key: id, isNewKey: true, priority: priorityOf(template) };
  if (isNew) ctx.ensure(enqueue(ctx, writeLetter, { letterId: id }, options));
  return isNew;
}
