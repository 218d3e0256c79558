import { type Database, openClient } from '@ghasi/db/database';
import type { Client } from 'pg';

/** A shard of a subscription in this process's hands. */
export type Held = {
  readonly shard: number;
  readonly epoch: number;
  readonly off: number;
  readonly day: string;
};

/** Cursor rows as the database has them. */
type CursorRow = {
  subscription: string;
  shard: number;
  owner: string | null;
  epoch: number;
  off: number;
  day: string;
};

/** The connection whose lock shows that this process lives. */
type Session = { readonly client: Client; readonly lockKey: number };

const MEMBER_LOCKS = 7_310_022;

/**
 * This process as a consumer among others. It is alive while its heartbeat is fresh (database clock) and its session
 * holds its lock, so that the others notice a crash at once and a frozen process after the lease.
 */
export class Membership {
  readonly id: string;
  readonly #db: Database;
  readonly #leaseMs: number;
  /** False behind a pooler that gives a connection to somebody else after each transaction: then only heartbeats count. */
  readonly #hasSession: () => boolean;
  #session: Session | undefined;
  #opening: Promise<Session> | undefined;

  constructor(db: Database, options: { id: string; leaseMs: number; hasSession?: () => boolean }) {
    this.#db = db;
    this.#hasSession = options.hasSession ?? (() => true);
    this.id = options.id;
    this.#leaseMs = options.leaseMs;
  }

  /** Says that this process lives. Apart from balancing, which waits for handlers: those may outlast a lease. */
  async beat(subscriptions: readonly string[]): Promise<void> {
    const { lockKey } = await this.#ensureSession();
    await this.#db.pool.query(
      `insert into brokers.member (id, lock_key, subscriptions, heartbeat_at)
       values ($1, $2, $3, clock_timestamp())
       on conflict (id) do update
       set heartbeat_at = excluded.heartbeat_at, subscriptions = excluded.subscriptions, lock_key = excluded.lock_key`,
      [this.id, this.#hasSession() ? lockKey : null, subscriptions],
    );
  }

  /** Heartbeat, then the shards this process should hold: what is free or was left by the dead, and its fair share. */
  async balance(
    subscriptions: readonly string[],
  ): Promise<{ held: Map<string, Held[]>; tooMany: Map<string, Held[]> }> {
    await this.beat(subscriptions);
    const members = await this.#liveMembers();
    const cursors = await this.#cursors(subscriptions);
    const wanted = cursors.filter(
      cursor =>
        cursor.owner !== this.id &&
        (cursor.owner === null || !members.has(cursor.owner)) &&
        this.#isMine(cursor, members),
    );
    const taken = await this.#take(wanted);
    const own = [...cursors.filter(cursor => cursor.owner === this.id), ...taken];
    const held = new Map<string, Held[]>(subscriptions.map(name => [name, []]));
    const tooMany = new Map<string, Held[]>();
    for (const cursor of own) {
      held.get(cursor.subscription)?.push(cursor);
      if (!this.#isMine(cursor, members))
        tooMany.set(cursor.subscription, [...(tooMany.get(cursor.subscription) ?? []), cursor]);
    }
    return { held, tooMany };
  }

  /** Gives shards back; somebody else takes them at his next heartbeat. */
  async release(subscription: string, shards: readonly Held[]): Promise<void> {
    await this.#db.pool.query(
      `update brokers.cursor c
       set owner = null
       from unnest($2::smallint[], $3::bigint[]) as h (shard, epoch)
       where c.subscription = $1 and c.shard = h.shard and c.epoch = h.epoch and c.owner = $4`,
      [subscription, shards.map(({ shard }) => shard), shards.map(({ epoch }) => epoch), this.id],
    );
  }

  async leave(): Promise<void> {
    await this.#db.pool.query('update brokers.cursor set owner = null where owner = $1', [this.id]);
    await this.#db.pool.query('delete from brokers.member where id = $1', [this.id]);
    await this.#session?.client.end();
  }

  /** Ends the session without leaving, as a crash would. */
  async abandon(): Promise<void> {
    await this.#session?.client.end().catch(() => {});
  }

  #ensureSession(): Promise<Session> {
    if (this.#session !== undefined) return Promise.resolve(this.#session);
    this.#opening ??= this.#openSession().finally(() => (this.#opening = undefined));
    return this.#opening;
  }

  /** A lock of its own for each session: the server may hold that of a lost one for hours. */
  async #openSession(): Promise<Session> {
    const client = await openClient(this.#db.url, 'melm-member');
    const session = { client, lockKey: Math.floor(Math.random() * 2 ** 31) };
    const lost = () => {
      if (this.#session === session) this.#session = undefined;
    };
    client.on('end', lost);
    client.on('error', lost);
    try {
      await client.query('select pg_advisory_lock($1, $2)', [MEMBER_LOCKS, session.lockKey]);
    } catch (error) {
      await client.end().catch(() => {});
      throw error;
    }
    this.#session = session;
    return session;
  }

  async #liveMembers(): Promise<Map<string, ReadonlySet<string>>> {
    const { rows } = await this.#db.pool.query<{ id: string; subscriptions: string[] }>(
      `select m.id, m.subscriptions
       from brokers.member m
       where m.heartbeat_at > clock_timestamp() - $1 * interval '1 millisecond'
         and (m.lock_key is null or exists (
           select from pg_catalog.pg_locks l
           where l.locktype = 'advisory' and l.granted and l.classid = $2 and l.objid = m.lock_key::oid
             and l.database = (select d.oid from pg_catalog.pg_database d where d.datname = current_database())))
       order by m.id`,
      [this.#leaseMs, MEMBER_LOCKS],
    );
    return new Map(rows.map(row => [row.id, new Set(row.subscriptions)]));
  }

  async #cursors(subscriptions: readonly string[]): Promise<CursorRow[]> {
    const { rows } = await this.#db.pool.query<CursorRow>(
      `select subscription, shard, owner, epoch::float8 as epoch, off::float8 as off, day
       from brokers.cursor
       where subscription = any($1)`,
      [subscriptions],
    );
    return rows;
  }

  /** Whose turn a shard is among the live members that serve its subscription: everybody computes the same answer. */
  #isMine(cursor: CursorRow, members: Map<string, ReadonlySet<string>>): boolean {
    const serving = [...members].filter(([, subscriptions]) => subscriptions.has(cursor.subscription));
    return serving.length === 0 || serving[cursor.shard % serving.length]?.[0] === this.id;
  }

  async #take(wanted: readonly CursorRow[]): Promise<CursorRow[]> {
    if (wanted.length === 0) return [];
    const { rows } = await this.#db.pool.query<CursorRow>(
      `update brokers.cursor c
       set owner = $1, epoch = c.epoch + 1
       from unnest($2::text[], $3::smallint[], $4::bigint[]) as w (subscription, shard, epoch)
       where c.subscription = w.subscription and c.shard = w.shard and c.epoch = w.epoch
       returning c.subscription, c.shard, c.owner, c.epoch::float8 as epoch, c.off::float8 as off, c.day`,
      [
        this.id,
        wanted.map(({ subscription }) => subscription),
        wanted.map(({ shard }) => shard),
        wanted.map(({ epoch }) => epoch),
      ],
    );
    return rows;
  }
}

/** Makes the cursors of a subscription, at the end of the log: it gets what is published from now on. */
export async function ensureCursors(db: Database, subscriptions: readonly string[]): Promise<void> {
  await db.pool.query(
    `insert into brokers.cursor (subscription, shard, off, day)
     select s.name, n.shard, coalesce((select l.off from brokers.log l order by l.off desc limit 1), 0), d.day
     from unnest($1::text[]) as s (name)
     cross join generate_series(0, 15) as n (shard)
     cross join brokers.log_day d
     on conflict do nothing`,
    [subscriptions],
  );
}

/** Writes down how far shards were read, where they are still held and not further already. */
export async function moveCursors(
  db: Database,
  subscription: string,
  held: readonly Held[],
  { off, day }: { off: number; day: string },
): Promise<void> {
  await db.pool.query(
    `update brokers.cursor c
     set off = $2, day = $3, moved_at = clock_timestamp()
     from unnest($4::smallint[], $5::bigint[]) as h (shard, epoch)
     where c.subscription = $1 and c.shard = h.shard and c.epoch = h.epoch and c.off < $2`,
    [subscription, off, day, held.map(({ shard }) => shard), held.map(({ epoch }) => epoch)],
  );
}
