import { brokerErrors } from '@ghasi/brokers/errors';
import {
  BATCH,
  type Change,
  look,
  type OnProgress,
  operate,
  record,
} from '@ghasi/brokers/operations/operation';
import type { Database } from '@ghasi/db/database';
import { sendPrepared } from '@ghasi/db/send';
import type { Tx } from '@ghasi/db/sql';
import { archivedSchemas, countBack, type Page, pageByPage, putBack } from './republish.ts';

/** What was published once more. */
export type Republished = { readonly since: Date; readonly events: number; readonly dryRun: boolean };

/** Published rows are kept this long. */
const KEPT_DAYS = 7;
const DAY_MS = 86_400_000;

/**
 * Has an operator publish once more what was published since a moment, of all tenants or one (DLQ-26, DLQ-39): under the
 * old ids, in the old order of each key, for every service; inboxes pass over what they have applied. For a broker that
 * cannot go back in time. Claims stay as they are, other than in a recovery: what is with a relay just now is delivered
 * after what came before it, as the first time.
 */
export async function republishRange(
  db: Database,
  change: Change,
  { since, tenantId }: { readonly since: Date; readonly tenantId?: string },
  onProgress?: OnProgress,
): Promise<Republished> {
  const schemas = await archivedSchemas(db);
  // Rows that are published again come into the archive again, with a later moment, while this runs.
  const { until, counts } = await look(db, async tx => {
    const until = await usableNow(tx, since);
    const counts: number[] = [];
    for (const schema of schemas) {
      const values = [since, until, tenantId ?? null];
      const [found] = (await sendPrepared(tx.$client, countBack(schema), values)).rows;
      counts.push((found as { n: number }).n);
    }
    return { until, counts };
  });
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (change.dryRun === true) return { since, events: total, dryRun: true };

  let events = 0;
  for (const schema of schemas) {
    await pageByPage(async above => {
      const values = [since, above, BATCH, until, tenantId ?? null];
      const page = await operate(db, change, async tx => {
        const page = (await sendPrepared(tx.$client, putBack(schema), values)).rows[0] as Page;
        if (page.moved === 0) return page;
        const detail = { schema, tenantId, since, until, count: page.moved, total };
        await record(tx, change, { action: 'outbox.republish', detail, wake: `outbox:${schema}` });
        return page;
      });
      events += page.moved;
      if (page.moved > 0) onProgress?.(events, total);
      return page;
    });
  }
  return { since, events, dryRun: false };
}

/** The database's clock, or a refusal where nothing is published from archives, or not any more from this one. */
async function usableNow(tx: Tx, since: Date): Promise<Date> {
  const { rows } = await sendPrepared(
    tx.$client,
    `select clock_timestamp() as now, not exists (select from brokers.cursor where broker <> 'postgres') as "isInLog"`,
    [],
  );
  const { now, isInLog } = rows[0] as { now: Date; isInLog: boolean };
  if (isInLog) throw brokerErrors.IN_LOG();
  const refuse = (reason: string) => brokerErrors.BAD_MOMENT({ moment: since.toISOString(), reason });
  if (since > now) throw refuse('it is in the future');
  if (now.getTime() - since.getTime() > KEPT_DAYS * DAY_MS)
    throw refuse(`what was published is kept ${KEPT_DAYS} days`);
  return now;
}
