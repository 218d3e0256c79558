import { type SQL, sql } from '@ghasi/db/drizzle';
import { row, type Tx } from '@ghasi/db/sql';
import { brokerErrors } from '../../../errors.ts';
import type { Position } from '../log-reader.ts';

/** Part of the log: above `from`, up to and with `to`. */
export type Range = {
  readonly from: Position;
  readonly to: number;
  readonly topics?: readonly string[] | undefined;
  readonly tenantId?: string | undefined;
};

/** A count that stops looking after a while: `isMore` when there may be more. */
export type RoughCount = { readonly count: number; readonly isMore: boolean; readonly oldest: Date | null };

const MOST_LOOKED_AT = 200_000;
/** How long the log is kept (DLQ-03, DLQ-26). */
const LOG_DAYS = 7;
const DAY_MS = 86_400_000;

type Place = { off: number; day: string; published_at: Date };

/** The place before the oldest row there is. */
export async function startOfLog(tx: Tx): Promise<Position> {
  const first = await firstFrom(tx, 0);
  return first === undefined ? endOfLog(tx) : { off: first.off - 1, day: first.day };
}

/** The place after the newest row. Everything below it is visible: rows appear in the order of their offsets. */
export async function endOfLog(tx: Tx): Promise<Position> {
  const last = await row<Position>(
    tx,
    sql`select coalesce((select l.off from brokers.log l order by l.off desc limit 1), 0)::float8 as off, d.day
        from brokers.log_day d`,
  );
  return last as Position;
}

/**
 * The place before the first row that was published at `moment` or later. Found by halving, a few dozen single-row
 * reads whatever the log's size: times rise with the offsets, except where the server's clock was set back.
 */
export async function placeAt(tx: Tx, moment: Date): Promise<Position> {
  const end = await endOfLog(tx);
  let low = (await startOfLog(tx)).off + 1;
  let high = end.off + 1;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const probe = (await firstFrom(tx, middle)) as Place;
    if (probe.published_at >= moment) high = middle;
    else low = probe.off + 1;
  }
  const next = await firstFrom(tx, low);
  return { off: low - 1, day: next?.day ?? end.day };
}

/** Refuses a moment before which days may have been dropped: whoever asks for them must not get a part without a word. */
export async function assertInLog(tx: Tx, moment: Date, now: Date): Promise<void> {
  if (now.getTime() - moment.getTime() <= LOG_DAYS * DAY_MS) return;
  const oldest = await firstFrom(tx, 0);
  if (oldest !== undefined && moment >= oldest.published_at) return;
  const begins = oldest === undefined ? 'is empty' : `begins at ${oldest.published_at.toISOString()}`;
  throw brokerErrors.BAD_MOMENT({
    moment: moment.toISOString(),
    reason: `the log is kept ${LOG_DAYS} days and ${begins}; what was published before is gone`,
  });
}

/** The oldest row at or above an offset. */
export function firstFrom(tx: Tx, off: number): Promise<Place | undefined> {
  return row<Place>(
    tx,
    sql`select l.off::float8 as off, l.day, l.published_at
        from brokers.log l
        where l.off >= ${off}
        order by l.off
        limit 1`,
  );
}

/** Conditions on `l`, a row of the log: originals of a range, no dead letters and no copies made by a replay. */
export function originalsIn({ from, to, topics, tenantId }: Range): SQL {
  return sql`l.day >= ${from.day} and l.off > ${from.off} and l.off <= ${to}
    and right(l.topic, 4) <> '.dlq' and brokers.readable(l.attributes) ->> 'replayTarget' is null
    ${topics === undefined ? sql`` : sql`and l.topic = any(${sql.param(topics)}::text[])`}
    ${tenantId === undefined ? sql`` : sql`and l.tenant_id = ${tenantId}`}`;
}

/** How many rows of a range a subscription has read already (`done`) or not yet (`ahead`), by its cursors. */
export async function countFor(
  tx: Tx,
  subscription: string,
  range: Range & { readonly side: 'done' | 'ahead' },
): Promise<RoughCount> {
  const { from, to, topics, tenantId, side } = range;
  const found = await row<{ count: number; looked: number; oldest: Date | null }>(
    tx,
    sql`with looked as (
          select l.off, l.shard, l.topic, l.tenant_id, l.published_at,
                 brokers.readable(l.attributes) ->> 'replayTarget' as target
          from brokers.log l
          where l.day >= ${from.day} and l.off > ${from.off} and l.off <= ${to}
          order by l.off
          limit ${MOST_LOOKED_AT}
        ), matching as (
          select l.published_at
          from looked l
          join brokers.cursor c on c.subscription = ${subscription} and c.shard = l.shard
          where ${side === 'done' ? sql`l.off <= c.off` : sql`l.off > c.off`}
            and right(l.topic, 4) <> '.dlq' and coalesce(l.target, c.subscription) = c.subscription
            ${topics === undefined ? sql`` : sql`and l.topic = any(${sql.param(topics)}::text[])`}
            ${tenantId === undefined ? sql`` : sql`and l.tenant_id = ${tenantId}`}
        )
        select (select count(*) from matching)::int as count, (select min(published_at) from matching) as oldest,
               (select count(*) from looked)::int as looked`,
  );
  const { count = 0, looked = 0, oldest = null } = found ?? {};
  return { count, oldest, isMore: looked === MOST_LOOKED_AT };
}
