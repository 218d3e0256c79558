import type { Database } from '@ghasi/db/database';
import { sendPrepared } from '@ghasi/db/send';
import type { Message } from '../../broker.ts';

/** A row of the log. `envelope` is missing where the reader asked to leave it out. */
export type LogRow = Omit<Message, 'envelope'> & {
  readonly off: number;
  readonly day: string;
  readonly shard: number;
  readonly envelope: string | null;
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
  envelope: string | null;
  attributes: Record<string, string>;
  enqueued_at: Date;
  published_at: Date;
};

// off::float8: exact up to 2^53, and a number costs a quarter of a bigint to read. envelope::text: read once, by whoever
// checks its signature, and not a second time by the driver.
const columns = `off::float8 as off, day, shard, topic, ordering_key, event_id, tenant_id,
  attributes, enqueued_at, published_at`;

const page = `
  select ${columns},
    case when topic = any($4) and not tenant_id = any($5) then envelope::text end as envelope
  from brokers.log
  where day >= $1 and off > $2
  order by off
  limit $3`;

/** The next rows after a position, of all shards. Only rows of `topics` and not of `without` carry their envelope. */
export async function readPage(
  db: Database,
  from: Position,
  options: { limit: number; topics: readonly string[]; without: readonly string[] },
): Promise<LogRow[]> {
  return read(db, page, [from.day, from.off, options.limit, options.topics, options.without]);
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
  return read(db, pageOfTenant, [from.day, from.off, upTo, tenantId, topics, limit]);
}

async function read(db: Database, text: string, values: unknown[]): Promise<LogRow[]> {
  const client = await db.pool.connect();
  let broken = true;
  try {
    const { rows } = await sendPrepared(client, text, values);
    broken = false;
    return (rows as Raw[]).map(toRow);
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
