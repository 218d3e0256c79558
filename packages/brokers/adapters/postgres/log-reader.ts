import type { Database } from '@ghasi/db/database';
import { sendPrepared } from '@ghasi/db/send';
import type { Message } from '../../broker.ts';

/** A row of the log. */
export type LogRow = Message & {
  readonly off: number;
  readonly day: string;
  readonly shard: number;
};

/** Where a reader stands. `day` only saves looking into older partitions. */
export type Position = { readonly off: number; readonly day: string };

type Raw = {
  off: number;
  day: string;
  shard: number;
  topic: string;
  ordering_key: string;
  event_id: string;
  tenant_id: string;
  envelope: string;
  attributes: Record<string, string>;
  enqueued_at: Date;
  published_at: Date;
};

// off::float8: exact up to 2^53, and a number costs a quarter of a bigint to read. envelope::text: read once, by whoever
// checks its signature, and not a second time by the driver.
const columns = `off::float8 as off, day, shard, topic, ordering_key, event_id, tenant_id,
  attributes, enqueued_at, published_at`;

// The end of the log comes from the same snapshot as the rows: a page that is not full has seen everything up to there.
const page = `
  select h.off::float8 as end_off, h.day as end_day, r.*
  from (select off, day from brokers.log where day >= $1 order by off desc limit 1) h
  left join lateral (
    select ${columns}, envelope::text as envelope
    from brokers.log
    where day >= $1 and off > $2 and topic = any($4) and not tenant_id = any($5)
    order by off
    limit $3
  ) r on true`;

/** Rows of the log, from where to where it was looked through for them, and whose were left out. */
export type Page = {
  readonly rows: readonly LogRow[];
  readonly from: Position;
  readonly upTo: Position;
  readonly without: readonly string[];
};

/** The next rows of `topics` after a position, of all shards and of all tenants but `without`. */
export async function readPage(
  db: Database,
  from: Position,
  options: { limit: number; topics: readonly string[]; without: readonly string[] },
): Promise<Page> {
  const values = [from.day, from.off, options.limit, options.topics, options.without];
  const found = await query<Raw & { end_off: number; end_day: string }>(db, page, values);
  const rows = found.filter(({ off }) => off !== null).map(toRow);
  const [end] = found;
  const last = rows.length < options.limit ? undefined : rows.at(-1);
  const sawAll = end === undefined || end.end_off < from.off ? from : { off: end.end_off, day: end.end_day };
  return { rows, from, upTo: last ?? sawAll, without: options.without };
}

const pageOfTenant = `
  select ${columns}, envelope::text as envelope
  from brokers.log
  where day >= $1 and off > $2 and off <= $3 and tenant_id = $4 and topic = any($5)
  order by off
  limit $6`;

/** The next rows of one tenant between two offsets. */
export async function readTenant(
  db: Database,
  from: Position,
  options: { upTo: number; tenantId: string; topics: readonly string[]; limit: number },
): Promise<LogRow[]> {
  const { upTo, tenantId, topics, limit } = options;
  const values = [from.day, from.off, upTo, tenantId, topics, limit];
  return (await query<Raw>(db, pageOfTenant, values)).map(toRow);
}

async function query<Row>(db: Database, text: string, values: unknown[]): Promise<Row[]> {
  const client = await db.pool.connect();
  let broken = true;
  try {
    const { rows } = await sendPrepared(client, text, values);
    broken = false;
    return rows as Row[];
  } finally {
    client.release(broken);
  }
}

function toRow(raw: Raw): LogRow {
  return {
    id: String(raw.off),
    off: raw.off,
    day: raw.day,
    shard: raw.shard,
    topic: raw.topic,
    orderingKey: raw.ordering_key,
    eventId: raw.event_id,
    tenantId: raw.tenant_id,
    envelope: raw.envelope,
    attributes: raw.attributes,
    enqueuedAt: raw.enqueued_at,
    publishedAt: raw.published_at,
  };
}
