import type { Database } from '@ghasi/db/database';
import { sendAlone } from '@ghasi/db/send';
import type { Delivery } from '../../broker.ts';

/** A row of the log, as it is delivered the first time. */
export type LogRow = Delivery & {
  readonly off: number;
  readonly day: string;
  readonly shard: number;
};

/** Where a reader stands. `day` only saves looking into older partitions. */
export type Position = { readonly off: number; readonly day: string };

// Offsets as float8: exact up to 2^53, and a number costs a quarter of a bigint to read. The envelope as text: read once,
// by whoever checks its signature, and not a second time by the driver.
type Raw = {
  off: number;
  day: string;
  shard: number;
  topic: string;
  ordering_key: string;
  event_id: string;
  tenant_id: string;
  envelope: string;
  attributes: unknown;
  enqueued_at: Date;
  published_at: Date;
};

/** Offsets one read looks at, so that rare rows in a long log stay below the statement's time limit. As in `read_page`. */
export const WINDOW = 100_000;

/** Rows of the log, from where to where it was looked through for them, and whose were left out. */
export type Page = {
  readonly rows: readonly LogRow[];
  readonly from: Position;
  readonly upTo: Position;
  /** The log goes on behind it. */
  readonly isMore: boolean;
  /** The log ends before `from`: it is not the one that was read up to there. */
  readonly isPastEnd: boolean;
  readonly without: readonly string[];
};

/** The next rows of `topics` after a position, of all shards and of all tenants but `without`. */
export async function readPage(
  db: Database,
  from: Position,
  options: { limit: number; topics: readonly string[]; without: readonly string[] },
): Promise<Page> {
  const values = [from.day, from.off, options.limit, options.topics, options.without];
  const found = await query<Raw & { end_off: number | null; end_day: string }>(
    db,
    'select * from brokers.read_page($1, $2, $3, $4, $5)',
    values,
  );
  const rows = found.filter(({ off }) => off !== null).map(toRow);
  const [end] = found;
  const last = rows.length < options.limit ? undefined : rows.at(-1);
  const looked = end?.end_off && end.end_off > from.off ? { off: end.end_off, day: end.end_day } : from;
  const upTo = last ?? looked;
  const isMore = last !== undefined || upTo.off === from.off + WINDOW;
  const isPastEnd = end?.end_off != null && end.end_off < from.off;
  return { rows, from, upTo, isMore, isPastEnd, without: options.without };
}

/** The next rows of one tenant between two offsets; not more than {@link WINDOW} apart, please. */
export async function readTenant(
  db: Database,
  options: { after: number; upTo: number; tenantId: string; topics: Iterable<string>; limit: number },
): Promise<LogRow[]> {
  const { after, upTo, limit, topics, tenantId } = options;
  const values = [after, upTo, limit, [...topics], tenantId];
  const found = await query<Raw>(db, 'select * from brokers.read_tenant($1, $2, $3, $4, $5)', values);
  return found.map(toRow);
}

const PAGE_WEIGHT = 8 * 1_048_576;

/** How many rows to read so that a page is no heavier than 8 MB, if they are like the last ones. */
export function lightPage(most: number, last: readonly LogRow[]): number {
  let weight = 0;
  for (const { envelope } of last) weight += envelope.length;
  return weight === 0 ? most : Math.max(1, Math.min(most, Math.floor((PAGE_WEIGHT * last.length) / weight)));
}

async function query<Row>(db: Database, text: string, values: unknown[]): Promise<Row[]> {
  const { rows } = await sendAlone(db.pool, text, values);
  return rows as Row[];
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
    attributes: isAttributes(raw.attributes) ? raw.attributes : {},
    enqueuedAt: raw.enqueued_at,
    publishedAt: raw.published_at,
    attempt: 1,
  };
}

/** A service may write into its outbox what it likes. Such a message has no signature then: whoever handles it says so. */
function isAttributes(value: unknown): value is Record<string, string> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  for (const name in value) if (typeof (value as Record<string, unknown>)[name] !== 'string') return false;
  return true;
}
