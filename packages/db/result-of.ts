import { isAccepted, type ValueOf } from './accepted.ts';
import type { Ctx } from './ctx.ts';
import type { Database, Outbox, OutboxRow } from './database.ts';

/** The answer of a use case, and the rows of its events; a bad event throws. */
export function resultOf<R>(db: Database, ctx: Ctx, result: R): { value: ValueOf<R>; rows: OutboxRow[] } {
  const { value, events } = isAccepted(result) ? result : { value: result, events: [] };
  assertTold(db, value, events);
  return { value: value as ValueOf<R>, rows: events.length === 0 ? [] : outboxOf(db).rowsOf(ctx, events) };
}

/** A use case may forget to say `accepted`, or say it twice: its events would be an answer, and nobody would hear of them. */
function assertTold({ outbox, service }: Database, answer: unknown, told: readonly unknown[]): void {
  const first = Array.isArray(answer) ? answer[0] : answer;
  if (isAccepted(first) || (outbox?.isEvent(first) && !told.includes(first)))
    throw new TypeError(
      `${service} answered with events: to publish them, return accepted(answer, [event]).`,
    );
}

/** Events leave in one packet with COMMIT. */
export function append(db: Database, ctx: Ctx, rows: readonly OutboxRow[]): void {
  if (rows.length === 0) return;
  const outbox = outboxOf(db);
  ctx.write(outbox.insert(ctx, rows));
  ctx.afterCommit(() => outbox.committed(ctx.tenantId));
}

function outboxOf({ outbox, service }: Database): Outbox {
  if (outbox === undefined)
    throw new TypeError(
      `${service} was opened without an outbox: it cannot publish. Open it with { outbox: backbone.outboxOf(schema) }.`,
    );
  return outbox;
}
