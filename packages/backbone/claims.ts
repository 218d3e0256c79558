import type { Database } from '@ghasi/db/database';
import { sendAlone } from '@ghasi/db/send';
import { safeReason } from '@ghasi/domain-primitives/safe-reason';
import { escapeIdentifier } from 'pg';
import { outboxColumns } from './outbox-columns.ts';

/** A row of an outbox that was claimed. `head` is the first row of its key, on which the lease is. */
export type ClaimedRow = {
  readonly seq: number;
  readonly head: number;
  readonly epoch: number;
  readonly topic: string;
  readonly orderingKey: string;
  readonly eventId: string;
  readonly tenantId: string;
  readonly envelope: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly enqueuedAt: Date;
  readonly attempts: number;
};

/** A row that the broker did not take, and how long to leave it alone. */
export type FailedRow = { readonly row: ClaimedRow; readonly error: string; readonly waitMs: number };

/** How much one claim may take. */
export type ClaimLimits = {
  readonly leaseMs: number;
  /** Most rows: heads of keys first, then those right behind them. */
  readonly rows: number;
  /** How many rows from the front of the outbox are looked at. */
  readonly window: number;
};

/** What a claim brought; `sawAll` when the window reached the end of the outbox. */
export type Claimed = { readonly rows: readonly ClaimedRow[]; readonly sawAll: boolean };

/** Claims on the outbox of one service, by one relay. Each call is one short transaction. */
export type Claims = {
  /** Takes the heads of keys that nobody has, that are not waiting for their next attempt or for a decision. */
  claim(limits: ClaimLimits): Promise<Claimed>;
  /** Says what became of rows. Whoever lost the lease writes nothing; returns the numbers that were settled. */
  settle(published: readonly ClaimedRow[], failed: readonly FailedRow[]): Promise<ReadonlySet<number>>;
  /** Gives keys back as if nothing had happened. */
  release(rows: readonly ClaimedRow[]): Promise<void>;
  /** Puts rows aside that failed too often for too long; returns those that were. */
  quarantine(
    rows: readonly ClaimedRow[],
    limits: { attempts: number; afterMs: number },
  ): Promise<{ seq: number; topic: string; eventId: string; attempts: number; error: string }[]>;
};

/** The claims of `owner` on the outbox in `schema`. */
export function createClaims(db: Database, schema: string, owner: string): Claims {
  const statements = statementsFor(escapeIdentifier(schema));
  const run = async <Row>(text: string, values: unknown[]): Promise<Row[]> =>
    (await sendAlone(db.pool, text, values)).rows as Row[];
  return {
    async claim({ leaseMs, rows: most, window }) {
      const values = [owner, leaseMs, most, window];
      const rows = await run<ClaimedRow & { looked: number }>(statements.claim, values);
      const looked = rows[0]?.looked ?? (await run<{ n: number }>(statements.look, [window]))[0]?.n ?? 0;
      return { rows: rows.sort((one, other) => one.seq - other.seq), sawAll: looked < window };
    },
    async settle(published, failed) {
      const heads = headsOf([...published, ...failed.map(({ row }) => row)]);
      const found = await run<{ seq: number }>(statements.settle, [
        owner,
        heads.map(({ head }) => head),
        heads.map(({ epoch }) => epoch),
        published.map(({ seq }) => seq),
        published.map(({ head }) => head),
        failed.map(({ row }) => row.seq),
        failed.map(({ row }) => row.head),
        failed.map(({ error }) => safeReason(error, 2000)),
        failed.map(({ waitMs }) => waitMs),
      ]);
      return new Set(found.map(({ seq }) => seq));
    },
    async release(rows) {
      const heads = headsOf(rows);
      await run(statements.release, [owner, heads.map(({ head }) => head), heads.map(({ epoch }) => epoch)]);
    },
    quarantine: (rows, { attempts, afterMs }) =>
      run(statements.quarantine, [rows.map(({ seq }) => seq), attempts, afterMs]),
  };
}

function headsOf(rows: readonly ClaimedRow[]): ClaimedRow[] {
  return [...new Map(rows.map(row => [row.head, row])).values()];
}

const statementsFor = (schema: string) => ({
  // The head of each key first, then locks on that fixed set: with SKIP LOCKED on rows a second relay would publish a
  // key's next message while the first is being published or waits for its next attempt. The window is
  // the front of the outbox, so whoever is first of its key in there is first of all. A lease is looked at twice: the
  // row may have been claimed between the snapshot and the lock.
  claim: `
    with front as materialized (
      select o.seq, o.ordering_key, o.next_attempt_at, o.lease_until
      from ${schema}.outbox o
      order by o.seq
      limit $4
    ), heads as (
      select distinct on (f.ordering_key) f.seq, f.ordering_key, f.next_attempt_at, f.lease_until
      from front f
      order by f.ordering_key, f.seq
    ), free as materialized (
      select h.seq
      from heads h
      where h.next_attempt_at <= now()
        and (h.lease_until is null or h.lease_until <= now())
        and not exists (
          select from ${schema}.outbox_quarantine q
          where q.ordering_key = h.ordering_key and q.resolved_at is null)
      order by h.seq
      limit $3
    ), locked as materialized (
      select o.seq
      from ${schema}.outbox o
      join free f on f.seq = o.seq
      where o.next_attempt_at <= now() and (o.lease_until is null or o.lease_until <= now())
      for update of o skip locked
    ), leased as (
      update ${schema}.outbox o
      set lease_owner = $1, lease_until = now() + $2 * interval '1 millisecond', lease_epoch = o.lease_epoch + 1
      from locked l
      where o.seq = l.seq
      returning o.seq, o.ordering_key, o.lease_epoch
    )
    select r.seq::float8 as seq, l.seq::float8 as head, l.lease_epoch::float8 as epoch, r.topic,
           r.ordering_key as "orderingKey", r.event_id as "eventId", r.tenant_id as "tenantId",
           r.envelope::text as envelope, r.attributes, r.enqueued_at as "enqueuedAt", r.attempts,
           (select count(*)::int from front) as looked
    from leased l
    join (
      select f.seq, row_number() over (partition by f.ordering_key order by f.seq) as place, f.ordering_key
      from front f
    ) p on p.ordering_key = l.ordering_key
    join ${schema}.outbox r on r.seq = p.seq
    order by p.place, r.seq
    limit $3`,
  look: `select count(*)::int as n from (select from ${schema}.outbox limit $1) as o`,
  // What the broker took leaves the outbox; what it did not take waits, and its key with it.
  settle: `
    with held as materialized (
      select o.seq
      from ${schema}.outbox o
      join unnest($2::bigint[], $3::bigint[]) as h (seq, epoch) on h.seq = o.seq and h.epoch = o.lease_epoch
      where o.lease_owner = $1
      order by o.seq
      for update of o
    ), gone as (
      delete from ${schema}.outbox o
      using unnest($4::bigint[], $5::bigint[]) as p (seq, head)
      where o.seq = p.seq and p.head in (select h.seq from held h)
      returning o.*
    ), kept as (
      insert into ${schema}.outbox_archive (${outboxColumns}, event_id, attempts, status, published_at, next_attempt_at, lease_epoch)
      select ${outboxColumns}, event_id, attempts, 'published', now(), next_attempt_at, lease_epoch
      from gone
      on conflict (tenant_id, id) do nothing
    ), failed as (
      update ${schema}.outbox o
      set status = 'retrying', attempts = o.attempts + 1, last_error = f.error,
          next_attempt_at = now() + f.wait_ms * interval '1 millisecond', lease_owner = null, lease_until = null
      from unnest($6::bigint[], $7::bigint[], $8::text[], $9::float8[]) as f (seq, head, error, wait_ms)
      where o.seq = f.seq and f.head in (select h.seq from held h)
      returning o.seq
    )
    select g.seq::float8 as seq from gone g
    union all
    select f.seq::float8 from failed f`,
  release: `
    update ${schema}.outbox o
    set lease_owner = null, lease_until = null
    from unnest($2::bigint[], $3::bigint[]) as h (seq, epoch)
    where o.seq = h.seq and o.lease_epoch = h.epoch and o.lease_owner = $1`,
  // A row that was released from quarantine and failed again comes back to its old place there.
  quarantine: `
    with gone as (
      delete from ${schema}.outbox o
      where o.seq = any($1::bigint[]) and o.attempts >= $2
        and o.enqueued_at <= now() - $3 * interval '1 millisecond'
      returning o.*
    ), kept as (
      insert into ${schema}.outbox_quarantine
        (${outboxColumns}, event_id, attempts, status, next_attempt_at, last_error, lease_epoch, reason)
      select ${outboxColumns}, event_id, attempts, 'dead_letter', next_attempt_at, last_error, lease_epoch,
             'the broker did not take it in ' || attempts || ' attempts'
      from gone
      on conflict (tenant_id, id) do update
      set attempts = excluded.attempts, last_error = excluded.last_error, reason = excluded.reason,
          quarantined_at = now(), resolved_at = null, resolved_by = null
    )
    select g.seq::float8 as seq, g.topic, g.event_id as "eventId", g.attempts, g.last_error as error from gone g`,
});
