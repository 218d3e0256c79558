import { coreErrors } from '@ghasi/domain-primitives/errors';
import { armedFailpoints, failpoint } from '@ghasi/domain-primitives/failpoint';
import { isTenantId, newId, PLATFORM_TENANT_ID } from '@ghasi/domain-primitives/ids';
import type { Logger } from '@ghasi/telemetry/logger';
import type { PoolClient } from 'pg';
import { isAccepted, type ValueOf } from './accepted.ts';
import { readBootId, settleCommit } from './commit-outcome.ts';
import type { Ctx, Who } from './ctx.ts';
import type { Database } from './database.ts';
import { sendPrepared } from './send.ts';
import { txOn } from './sql.ts';
import { StatementSkipped } from './statement-batch.ts';

export type { Actor, Ctx, Who } from './ctx.ts';

/**
 * Runs `work` in one transaction that sees and writes this tenant's rows only; commits when it returns, rolls back
 * when it throws. When `work` returns `accepted(value, events)`, the events are appended to the service's outbox in the
 * same transaction, and the value is the result. An ambiguous commit is settled before this returns: the result means committed, an error means
 * nothing happened, and COMMIT_UNKNOWN means that not even the server could say (a crash in between).
 */
export function tenantTransaction<R>(
  db: Database,
  who: Who,
  work: (ctx: Ctx) => Promise<R>,
): Promise<ValueOf<R>> {
  return transaction(db, who, begin('read write', who.tenantId), work);
}

/** Like {@link tenantTransaction}, but the database refuses every write. */
export function tenantRead<R>(db: Database, who: Who, work: (ctx: Ctx) => Promise<R>): Promise<ValueOf<R>> {
  return transaction(db, who, begin('read only', who.tenantId), work);
}

/**
 * A transaction without a tenant, for roles that work across tenants (`relay`, `maintenance`, `jobs_worker`). A
 * service role sees no tenant's rows in it.
 */
export function systemTransaction<R>(
  db: Database,
  who: Omit<Who, 'tenantId'>,
  work: (ctx: Ctx) => Promise<R>,
): Promise<ValueOf<R>> {
  return transaction(db, { ...who, tenantId: PLATFORM_TENANT_ID }, begin('read write'), work);
}

/**
 * BEGIN, the tenant and the transaction's number. The number must be known before COMMIT leaves, or an ambiguous commit
 * could not be settled.
 */
type Begin = { readonly mode: 'read write' | 'read only'; readonly tenantId: string };

function begin(mode: Begin['mode'], tenantId?: string): Begin {
  if (tenantId !== undefined && !isTenantId(tenantId)) throw coreErrors.TENANT_CONTEXT_MISSING({});
  return { mode, tenantId: tenantId ?? '' };
}

const settings = {
  'read write': "select set_config('app.tenant_id', $1, true), pg_current_xact_id()::text as xid",
  'read only': "select set_config('app.tenant_id', $1, true), null as xid",
};

/** Leaves in one packet with the first statement of the work; its answer is the transaction's number. */
async function sendBegin(client: PoolClient, { mode, tenantId }: Begin): Promise<string | null> {
  const [, { rows }] = await Promise.all([
    sendPrepared(client, `begin ${mode}`, []),
    sendPrepared(client, settings[mode], [tenantId]),
  ]);
  return rows[0].xid;
}

async function transaction<R>(
  db: Database,
  who: Who,
  beginning: Begin,
  work: (ctx: Ctx) => Promise<R>,
): Promise<ValueOf<R>> {
  const started = performance.now();
  const client = await connect(db);
  // `broken` decides whether the connection goes back to the pool: never with a transaction of unknown state.
  let broken = true;
  let outcome: 'committed' | 'aborted' | 'unknown' = 'aborted';
  let later: (() => void)[] | undefined;
  try {
    const bootId = bootIds.get(client) ?? (await rememberBootId(client));
    // Not awaited: the first statement of `work` follows in the same packet. If BEGIN fails, so does everything after.
    const begun = sendBegin(client, beginning);
    begun.catch(() => {});
    let value: R | ValueOf<R>;
    let appended: Promise<void> | undefined;
    try {
      const log = who.log ?? db.log ?? silent;
      const ctx: Ctx = {
        tx: txOn(client),
        newId,
        log,
        now: who.now ?? new Date(),
        tenantId: who.tenantId,
        actor: who.actor,
        afterCommit(work) {
          later ??= [];
          later.push(work);
        },
        count: (name, labels, by) => ctx.afterCommit(() => db.metrics?.inc(name, labels, by)),
      };
      value = await work(ctx);
      if (isAccepted(value)) {
        const { events } = value;
        value = value.value as ValueOf<R>;
        if (events.length > 0) {
          // Not awaited: it leaves in one packet with COMMIT. If it fails, COMMIT is not run.
          appended = appendTo(db, ctx, events);
          appended.catch(() => {});
          if (armedFailpoints().length > 0) await appended; // a crash before COMMIT must find it written
        }
      }
      await failpoint('db.before-commit');
    } catch (error) {
      await begun.catch(() => {});
      await client.query('rollback').then(
        () => (broken = false),
        () => {},
      );
      throw error;
    }
    const xid = await begun;
    try {
      outcome = await commit(db, client, xid === null ? undefined : { xid, bootId });
    } catch (error) {
      await appended; // the append's own reason says more than "rolled back"
      throw error;
    }
    if (outcome === 'unknown') throw coreErrors.COMMIT_UNKNOWN({ transaction: xid ?? '-' });
    broken = client.getTransactionStatus() !== 'I';
    await failpoint('db.after-commit');
    if (appended !== undefined) db.outbox?.committed(who.tenantId);
    for (const work of later ?? []) work();
    return value as ValueOf<R>;
  } finally {
    client.release(broken);
    db.metrics?.inc('melmastoon_db_transactions_total', { service: db.service, outcome });
    db.metrics?.observe(
      'melmastoon_db_transaction_duration_seconds',
      { service: db.service },
      (performance.now() - started) / 1000,
    );
  }
}

function appendTo(db: Database, ctx: Ctx, events: readonly unknown[]): Promise<void> {
  if (db.outbox === undefined)
    throw new TypeError(`${db.service} was opened without an outbox: it cannot publish`);
  return db.outbox.append(ctx, events);
}

/** Sends COMMIT and finds out how it ended; throws when the server rolled back instead. */
async function commit(
  db: Database,
  client: PoolClient,
  mark: { xid: string; bootId: string } | undefined,
): Promise<'committed' | 'unknown'> {
  let refusal: unknown;
  try {
    const { command } = await sendPrepared(client, 'commit', []);
    if (command === 'COMMIT') return 'committed';
    // A statement failed, `work` swallowed the error, and COMMIT on a failed transaction is a ROLLBACK.
    refusal = new Error(
      'The transaction was rolled back: one of its statements failed and the error was swallowed.',
    );
  } catch (error) {
    if (error instanceof StatementSkipped) throw error.cause; // COMMIT was not run: what it left with had failed
    if (mark === undefined) throw error; // read only: nothing can have been written
    const settled = await settleCommit(db.url, mark);
    db.log?.warn({ err: error, xid: mark.xid, settled }, 'the answer to COMMIT was lost; asked the server');
    if (settled !== 'aborted') return settled;
    refusal = error;
  }
  throw refusal;
}

const bootIds = new WeakMap<PoolClient, string>();

/** Once per connection: no connection outlives a crash. */
async function rememberBootId(client: PoolClient): Promise<string> {
  const bootId = await readBootId(client);
  bootIds.set(client, bootId);
  return bootId;
}

async function connect(db: Database): Promise<PoolClient> {
  const asked = performance.now();
  const { service, metrics } = db;
  try {
    const client = await db.pool.connect();
    metrics?.observe('melmastoon_db_pool_wait_seconds', { service }, (performance.now() - asked) / 1000);
    return client;
  } catch (error) {
    metrics?.inc('melmastoon_db_pool_exhausted_total', { service });
    throw Object.assign(coreErrors.UNAVAILABLE({ what: 'database' }), { cause: error });
  }
}

const silent = {
  trace() {},
  debug() {},
  info() {},
  warn() {},
  error() {},
  fatal() {},
} as unknown as Logger;
