import type { Database } from '@ghasi/db/database';
import { sql } from '@ghasi/db/drizzle';
import { execute, row, rows, type Tx } from '@ghasi/db/sql';
import { brokerErrors } from '../../../errors.ts';
import { schemaOfService } from './inbox-names.ts';
import { assertInLog, endOfLog, originalsIn, placeAt, type Range } from './log-range.ts';
import { type Change, look, type OnProgress, operate, record } from './operation.ts';
import { assertReadsLog } from './subscriptions.ts';

/** Which inbox rows to forget: those of one consumer whose events are in this part of the log. */
export type ClearInbox = {
  /** e.g. `inventory-service.booking-confirmed` (INBOX-04). */
  readonly consumer: string;
  readonly since: Date;
  readonly until?: Date;
  readonly topics?: readonly string[];
  readonly tenantId?: string;
};

/** What was forgotten. */
export type Cleared = { readonly consumer: string; readonly rows: number; readonly dryRun: boolean };

/** Offsets of one transaction. */
const WINDOW = 10_000;

/**
 * Forgets that a consumer has applied some events, so that a replay or seek runs its mended handler on them again
 * (DLQ-28). Exactly the events of the range, by their ids: what is not delivered again stays known. Events the handler
 * publishes carry their old idempotency keys and are suppressed, unless the fix gives them new ones.
 */
export async function clearInbox(
  db: Database,
  change: Change,
  wanted: ClearInbox,
  onProgress?: OnProgress,
): Promise<Cleared> {
  const { consumer, since, until, topics, tenantId } = wanted;
  const dryRun = change.dryRun ?? false;
  const service = consumer.split('.')[0] ?? '';
  const schema = schemaOfService(service);
  const range = await look(db, async tx => {
    await assertReadsLog(tx, service);
    await assertInbox(tx, schema, consumer);
    const clock = await row<{ now: Date }>(tx, sql`select clock_timestamp() as now`);
    const now = clock?.now ?? new Date();
    const refuse = (moment: Date, reason: string) =>
      brokerErrors.BAD_MOMENT({ moment: moment.toISOString(), reason });
    if (since > now) throw refuse(since, 'it is in the future');
    if (until !== undefined && until <= since) throw refuse(until, 'the range would end before it begins');
    await assertInLog(tx, since, now);
    const to = (until === undefined ? await endOfLog(tx) : await placeAt(tx, until)).off;
    return { from: await placeAt(tx, since), to, topics, tenantId };
  });
  let cleared = 0;
  const span = range.to - range.from.off;
  for (let after = range.from.off; after < range.to; after += WINDOW) {
    const part = { ...range, from: { ...range.from, off: after }, to: Math.min(after + WINDOW, range.to) };
    cleared += await operate(db, change, async tx => {
      if (dryRun) return countRows(tx, { schema, consumer, part });
      const count = await deleteRows(tx, { schema, consumer, part });
      const detail = { consumer, topics, tenantId, since, until, first: after + 1, last: part.to, count };
      if (count > 0) await record(tx, change, { action: 'inbox.clear', detail, wake: undefined });
      return count;
    });
    onProgress?.(part.to - range.from.off, span);
  }
  if (cleared === 0) await look(db, tx => assertConsumer(tx, schema, consumer)); // nothing, or a name misspelt?
  return { consumer, rows: cleared, dryRun };
}

type Part = { schema: string; consumer: string; part: Range };

/** Rows that failed and were never applied stop nobody: they stay, with their last error. */
const chosen = ({ consumer, part }: Part) => sql`
  i.consumer_name = ${consumer} and i.processed_at is not null
  and i.tenant_id = l.tenant_id and i.event_id = l.event_id
  and ${originalsIn(part)}`;

async function countRows(tx: Tx, part: Part): Promise<number> {
  const found = await row<{ n: number }>(
    tx,
    sql`select count(*)::int as n
        from ${sql.identifier(part.schema)}.inbox i, brokers.log l
        where ${chosen(part)}`,
  );
  return found?.n ?? 0;
}

function deleteRows(tx: Tx, part: Part): Promise<number> {
  return execute(
    tx,
    sql`delete from ${sql.identifier(part.schema)}.inbox i
        using brokers.log l
        where ${chosen(part)}`,
  );
}

async function assertInbox(tx: Tx, schema: string, consumer: string): Promise<void> {
  const found = await row<{ inbox: string | null }>(
    tx,
    sql`select to_regclass(format('%I.inbox', ${schema}::text))::text as inbox`,
  );
  if (found?.inbox == null) throw brokerErrors.UNKNOWN_CONSUMER({ name: consumer, known: 'none like it' });
}

async function assertConsumer(tx: Tx, schema: string, consumer: string): Promise<void> {
  const known = await rows<{ name: string }>(
    tx,
    sql`select distinct i.consumer_name as name from ${sql.identifier(schema)}.inbox i order by 1`,
  );
  if (!known.some(({ name }) => name === consumer))
    throw brokerErrors.UNKNOWN_CONSUMER({
      name: consumer,
      known: known.length > 0 ? known.map(({ name }) => name) : 'none yet',
    });
}
