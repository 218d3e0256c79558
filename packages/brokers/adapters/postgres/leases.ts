import { type Database, openClient } from '@ghasi/db/database';
import type { Client } from 'pg';
import type { Position } from './log-reader.ts';

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
  /** Shards were taken in this session. With another one the server may be another too, and its log a shorter one. */
  #takenIn: Session | undefined;
  #opening: Promise<Session> | undefined;
  /** Ends with the heartbeats that are under way. */
  #beating: Promise<unknown> = Promise.resolve();
  #hasLeft = false;

  constructor(db: Database, options: { id: string; leaseMs: number; hasSession?: () => boolean }) {
    this.#db = db;
    this.#hasSession = options.hasSession ?? (() => true);
    this.id = options.id;
    this.#leaseMs = options.leaseMs;
  }

  /**
   * Says that this process lives. Apart from balancing, which waits for handlers: those may outlast a lease. On the session's
   * own connection: those of the pool may all wait for their turn to append.
   */
  async beat(subscriptions: readonly string[]): Promise<void> {
    if (!this.#hasLeft) await this.#beat(subscriptions);
  }

  #beat(subscriptions: readonly string[]): Promise<Session> {
    const beat = this.#sendBeat(subscriptions);
    const over = beat.then(
      () => {},
      () => {},
    );
    this.#beating = Promise.all([this.#beating, over]).then(() => {}); // not what they gave: it would grow with each beat
    return beat;
  }

  async #sendBeat(subscriptions: readonly string[]): Promise<Session> {
    const session = await this.#ensureSession();
    const { client, lockKey } = session;
    try {
      await client.query(
        `insert into brokers.member (id, lock_key, subscriptions, heartbeat_at)
         values ($1, $2, $3, clock_timestamp())
         on conflict (id) do update
         set heartbeat_at = excluded.heartbeat_at, subscriptions = excluded.subscriptions, lock_key = excluded.lock_key`,
        [this.id, this.#hasSession() ? lockKey : null, subscriptions],
      );
    } catch (error) {
      if (this.#session === session) this.#session = undefined; // the next one has a connection that answers
      void client.end().catch(() => {});
      throw error;
    }
    return session;
  }

  /** At the next balance takes its own shards once more, under new numbers: whatever was in flight does not count. */
  takeAnew(): void {
    this.#takenIn = undefined;
  }

  /** Heartbeat, then the shards this process should hold: what is free or was left by the dead, and its fair share. */
  async balance(
    subscriptions: readonly string[],
  ): Promise<{ held: Map<string, Held[]>; tooMany: Map<string, Held[]> }> {
    const session = await this.#beat(subscriptions);
    const members = await this.#liveMembers();
    const cursors = await this.#cursors(subscriptions);
    const mine = cursors.filter(({ owner }) => owner === this.id);
    const free = cursors.filter(
      cursor =>
        cursor.owner !== this.id &&
        // Not of a live member either, if that one no longer serves the subscription.
        (cursor.owner === null || !members.get(cursor.owner)?.has(cursor.subscription)) &&
        this.#isMine(cursor, members),
    );
    const isNew = this.#takenIn !== session;
    const taken = await this.#take(isNew ? [...mine, ...free] : free);
    this.#takenIn = session;
    const own = isNew ? taken : [...mine, ...taken];
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
    this.#hasLeft = true;
    await this.#beating; // it would write this member down again
    try {
      await this.#db.pool.query('update brokers.cursor set owner = null where owner = $1', [this.id]);
      await this.#db.pool.query('delete from brokers.member where id = $1', [this.id]);
    } finally {
      await this.#session?.client.end();
    }
  }

  #ensureSession(): Promise<Session> {
    if (this.#session !== undefined) return Promise.resolve(this.#session);
    this.#opening ??= this.#openSession().finally(() => (this.#opening = undefined));
    return this.#opening;
  }

  /** A lock of its own for each session: the server may hold that of a lost one for hours. */
  async #openSession(): Promise<Session> {
    const client = await openClient(this.#db.url, 'melm-member', this.#db.answerMs);
    const session = { client, lockKey: Math.floor(Math.random() * 2 ** 31) };
    const lost = () => {
      if (this.#session === session) this.#session = undefined;
    };
    client.on('end', lost);
    client.on('error', lost);
    try {
      await client.query('select pg_advisory_lock($1, $2)', [MEMBER_LOCKS, session.lockKey]);
      // Whoever crashed could not say goodbye.
      await client.query(
        "delete from brokers.member where heartbeat_at < clock_timestamp() - interval '1 day'",
      );
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

/**
 * Makes the cursors of a subscription, at the end of the log: it gets what is published from now on. They say which broker
 * carries its messages, for the commands that work on the log.
 */
export async function ensureCursors(
  db: Database,
  subscriptions: readonly string[],
  broker = 'postgres',
): Promise<void> {
  await db.pool.query(
    `insert into brokers.cursor (subscription, shard, off, day, epoch)
     select s.name, n.shard, coalesce((select l.off from brokers.log l order by l.off desc limit 1), 0), d.day,
            coalesce((select f.epoch from brokers.fence f where f.subscription = s.name and f.shard = n.shard), 0)
     from unnest($1::text[]) as s (name)
     cross join generate_series(0, 15) as n (shard)
     cross join brokers.log_day d
     on conflict do nothing`,
    [subscriptions],
  );
  // Nothing to write, except where it is new here or the installation has changed its broker.
  await db.pool.query('update brokers.cursor set broker = $2 where subscription = any($1) and broker <> $2', [
    subscriptions,
    broker,
  ]);
}

/**
 * Writes down how far shards were read, where they are still held and not further already. Not past the end of the log, and
 * not if a cursor stands below what was written down last (`held.off`): then a server has taken over that lacks the newest
 * rows, and gives their numbers to others.
 */
export async function moveCursors(
  db: Database,
  subscription: string,
  held: readonly Held[],
  { off, day }: Position,
): Promise<void> {
  await db.pool.query(
    `update brokers.cursor c
     set off = $2, day = $3, moved_at = clock_timestamp()
     from unnest($4::smallint[], $5::bigint[], $6::bigint[]) as h (shard, epoch, off)
     where c.subscription = $1 and c.shard = h.shard and c.epoch = h.epoch and c.off < $2 and c.off >= h.off
       and $2 <= (select l.off from brokers.log l where l.day >= $3 order by l.off desc limit 1)`,
    [
      ...[subscription, off, day],
      ...[held.map(({ shard }) => shard), held.map(({ epoch }) => epoch), held.map(one => one.off)],
    ],
  );
}

/** Takes cursors back to the end of the log, in case somebody had moved them past it. */
export async function rewindCursors(db: Database, subscriptions: readonly string[]): Promise<void> {
  await db.pool.query(
    `update brokers.cursor c
     set off = e.off
     from (select l.off from brokers.log l order by l.off desc limit 1) e
     where c.subscription = any($1) and c.off > e.off`,
    [subscriptions],
  );
}
