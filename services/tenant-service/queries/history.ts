import { desc, lt } from '@ghasi/db/drizzle';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { type Uuid, uuid7 } from '@ghasi/domain-primitives/uuid';
import type { HistoryEntry } from '../contract/resources.ts';
import { history } from '../tables.ts';

/** What happened to what; `before` and `after` hold the values that differ. */
export type HistoryLine = {
  action: HistoryEntry['action'];
  subject: string;
  before?: object | undefined;
  after?: object | undefined;
};

/** Writes a line of the history, in the transaction of the change. */
export async function appendHistory(
  ctx: Pick<Ctx, 'tx' | 'tenantId' | 'now' | 'actor'>,
  { before, after, ...line }: HistoryLine,
): Promise<void> {
  await ctx.tx.insert(history).values({
    ...line,
    tenantId: ctx.tenantId,
    id: uuid7(),
    before: (before as Record<string, unknown> | undefined) ?? null,
    after: (after as Record<string, unknown> | undefined) ?? null,
    actorType: ctx.actor.type,
    actorId: ctx.actor.id,
    at: ctx.now,
  });
}

/** The history before an entry, newest first. */
export async function listHistory(
  tx: Ctx['tx'],
  page: { before?: Uuid | undefined; limit: number },
): Promise<HistoryEntry[]> {
  const found = await tx
    .select()
    .from(history)
    .where(page.before && lt(history.id, page.before))
    .orderBy(desc(history.id))
    .limit(page.limit);
  return found.map(({ tenantId: _, actorType, actorId, at, before, after, ...line }) => ({
    ...line,
    before: before as HistoryEntry['before'],
    after: after as HistoryEntry['after'],
    actor: { type: actorType, id: actorId },
    at: at.toISOString(),
  }));
}
