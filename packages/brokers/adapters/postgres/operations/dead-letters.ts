import type { Database } from '@ghasi/db/database';
import { type SQL, sql } from '@ghasi/db/drizzle';
import { row, rows, type Tx } from '@ghasi/db/sql';
import { brokerErrors } from '../../../errors.ts';
import { look } from './operation.ts';

/** Which dead letters. What is left out matches all; `topic` may carry its `.dlq`; `since` and `until` are of the death. */
export type LetterFilter = {
  readonly ids?: readonly number[];
  readonly subscription?: string;
  readonly topic?: string;
  readonly tenantId?: string;
  readonly since?: Date;
  readonly until?: Date;
};

/** A message a subscription gave up on; its key waits until somebody decides. */
export type DeadLetter = {
  /** Its offset in the log. Another subscription may have given up on the same message. */
  readonly id: number;
  readonly subscription: string;
  readonly parkKey: string;
  readonly topic: string;
  readonly tenantId: string;
  readonly orderingKey: string;
  readonly eventId: string;
  readonly attempts: number;
  /** Later messages of the same key that wait behind it. */
  readonly waiting: number;
  readonly error: string;
  readonly publishedAt: Date;
  readonly firstFailedAt: Date;
  readonly deadAt: Date;
  readonly deadSeconds: number;
};

/** A dead letter that somebody took out for good. */
export type SettledLetter = Omit<DeadLetter, 'waiting' | 'firstFailedAt' | 'deadAt' | 'deadSeconds'> & {
  readonly how: 'skipped' | 'quarantined';
  readonly settledAt: Date;
  readonly settledBy: string;
  readonly reason: string;
};

/** Everything there is to know about one message. `behind` are the first that wait for it. */
export type Shown<Letter> = Letter & {
  readonly envelope: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly behind: readonly { id: number; topic: string; eventId: string; publishedAt: Date }[];
};

const MOST_BEHIND = 10;

/** The dead letters, the one that has waited longest first. Without a limit all of them. */
export function listDeadLetters(
  db: Database,
  filter: LetterFilter & { readonly limit?: number } = {},
): Promise<DeadLetter[]> {
  return look(db, tx => deadLetters(tx, filter));
}

/** What was skipped or quarantined, the latest first. Without a limit all of it. */
export function listSettledLetters(
  db: Database,
  filter: LetterFilter & { readonly limit?: number } = {},
): Promise<SettledLetter[]> {
  return look(db, tx => settledLetters(tx, filter, filter.limit));
}

/** One message as it was published, with its last error and what waits behind it (DLQ-13). Settled ones are found too. */
export async function showDeadLetter(
  db: Database,
  filter: LetterFilter,
): Promise<Shown<DeadLetter> | Shown<SettledLetter>> {
  const id = filter.ids?.[0];
  return look(db, async tx => {
    const dead = await deadLetters(tx, id === undefined ? { ...filter, limit: 1 } : filter);
    const [first] = id === undefined ? dead : [onlyOne(id, dead)];
    if (first !== undefined) {
      const whole = await wholeOf(tx, sql`brokers.parked_message`, first);
      return { ...first, ...whole, behind: await behind(tx, first) };
    }
    const [settled] = await settledLetters(tx, filter, 1);
    if (settled === undefined || id === undefined)
      throw brokerErrors.NO_SUCH_LETTER({ id: id ?? 'like that' });
    return { ...settled, ...(await wholeOf(tx, sql`brokers.settled_letter`, settled)), behind: [] };
  });
}

/** The one dead letter that was meant, undefined when there is none. */
export function onlyOne(id: number, found: readonly DeadLetter[]): DeadLetter | undefined {
  const subscriptions = found.map(({ subscription }) => subscription).sort();
  if (found.length > 1) throw brokerErrors.SEVERAL_LETTERS({ id, subscriptions });
  return found[0];
}

/** Which, how many at most, and whether their keys are locked: what somebody else decides about just now is then left out. */
type Heads = LetterFilter & { readonly limit?: number; readonly isLocked?: boolean };

/** The heads of dead keys. */
export function deadLetters(tx: Tx, { limit, isLocked, ...filter }: Heads): Promise<DeadLetter[]> {
  return rows<DeadLetter>(
    tx,
    sql`select h.off::float8 as id, k.subscription, k.park_key as "parkKey", h.topic, k.tenant_id as "tenantId",
               h.ordering_key as "orderingKey", h.event_id as "eventId", k.attempts, k.last_error as error,
               h.published_at as "publishedAt", k.first_failed_at as "firstFailedAt", k.dead_at as "deadAt",
               extract(epoch from clock_timestamp() - k.dead_at)::float8 as "deadSeconds",
               (select count(*)::int - 1
                from brokers.parked_message m
                where m.tenant_id = k.tenant_id and m.subscription = k.subscription and m.park_key = k.park_key) as waiting
        ${headsOf(filter)}
        order by k.dead_at, h.off, k.subscription
        limit ${limit ?? null}
        ${isLocked === true ? sql`for update of k` : sql``}`,
  );
}

/** How many there are. */
export async function countDeadLetters(tx: Tx, filter: LetterFilter): Promise<number> {
  const found = await row<{ n: number }>(tx, sql`select count(*)::int as n ${headsOf(filter)}`);
  return found?.n ?? 0;
}

function headsOf(filter: LetterFilter): SQL {
  return sql`from brokers.parked_key k
        cross join lateral (
          select m.off, m.topic, m.ordering_key, m.event_id, m.published_at
          from brokers.parked_message m
          where m.tenant_id = k.tenant_id and m.subscription = k.subscription and m.park_key = k.park_key
          order by m.off
          limit 1
        ) h
        where k.state = 'dead' ${matching(filter, sql`k.dead_at`, sql`h`)}`;
}

function settledLetters(tx: Tx, filter: LetterFilter, limit: number | undefined): Promise<SettledLetter[]> {
  return rows<SettledLetter>(
    tx,
    sql`select k.off::float8 as id, k.subscription, k.park_key as "parkKey", k.topic, k.tenant_id as "tenantId",
               k.ordering_key as "orderingKey", k.event_id as "eventId", k.attempts, k.last_error as error,
               k.published_at as "publishedAt", k.how, k.settled_at as "settledAt", k.settled_by as "settledBy", k.reason
        from brokers.settled_letter k
        where true ${matching(filter, sql`k.settled_at`, sql`k`)}
        order by k.settled_at desc, k.off
        limit ${limit ?? null}`,
  );
}

function matching(
  { ids, subscription, topic, tenantId, since, until }: LetterFilter,
  at: SQL,
  message: SQL,
): SQL {
  return sql.join(
    [
      ids === undefined ? sql`` : sql`and ${message}.off = any(${sql.param(ids)}::bigint[])`,
      subscription === undefined ? sql`` : sql`and k.subscription = ${subscription}`,
      topic === undefined ? sql`` : sql`and ${message}.topic = ${topic.replace(/\.dlq$/, '')}`,
      tenantId === undefined ? sql`` : sql`and k.tenant_id = ${tenantId}`,
      since === undefined ? sql`` : sql`and ${at} >= ${since}`,
      until === undefined ? sql`` : sql`and ${at} < ${until}`,
    ],
    sql` `,
  );
}

/** Envelope and attributes, as text and as stored: the envelope's exact bytes are what was signed. */
async function wholeOf(
  tx: Tx,
  table: SQL,
  { tenantId, subscription, parkKey, id }: Pick<DeadLetter, 'tenantId' | 'subscription' | 'parkKey' | 'id'>,
): Promise<{ envelope: string; attributes: Record<string, string> }> {
  const found = await row<{ envelope: string; attributes: Record<string, string> }>(
    tx,
    sql`select m.envelope::text as envelope, m.attributes
        from ${table} m
        where m.tenant_id = ${tenantId} and m.subscription = ${subscription} and m.park_key = ${parkKey} and m.off = ${id}
        limit 1`,
  );
  if (found === undefined) throw brokerErrors.NO_SUCH_LETTER({ id }); // settled by somebody else just now
  return found;
}

function behind(
  tx: Tx,
  { tenantId, subscription, parkKey, id }: DeadLetter,
): Promise<Shown<DeadLetter>['behind'][number][]> {
  return rows(
    tx,
    sql`select m.off::float8 as id, m.topic, m.event_id as "eventId", m.published_at as "publishedAt"
        from brokers.parked_message m
        where m.tenant_id = ${tenantId} and m.subscription = ${subscription} and m.park_key = ${parkKey} and m.off > ${id}
        order by m.off
        limit ${MOST_BEHIND}`,
  );
}
