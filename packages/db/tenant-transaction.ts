import { AppError, coreErrors } from '@ghasi/domain-primitives/errors';
import { failpoint, isArmed } from '@ghasi/domain-primitives/failpoint';
import { isTenantId, newId, PLATFORM_TENANT_ID } from '@ghasi/domain-primitives/ids';
import type { Logger } from '@ghasi/telemetry/logger';
import type { PoolClient } from 'pg';
import { isAccepted, type ValueOf } from './accepted.ts';
import { type CommitOutcome, readBootId, settleCommit, type TransactionMark } from './commit-outcome.ts';
import type { Ctx, Who } from './ctx.ts';
import type { Database } from './database.ts';
import { isConnectionLoss, sqlState } from './pg-errors.ts';
import { append, resultOf } from './result-of.ts';
import { nameOf, sendPrepared } from './send.ts';
import { RolledBack, Sent } from './sent.ts';
import { endTx, txOn } from './sql.ts';
import { leadPackets, StatementSkipped } from './statement-batch.ts';

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
  assertTenant(who);
  return transaction(db, who, { tenantId: who.tenantId }, work);
}

/**
 * Like {@link tenantTransaction}, for work that can be done again because it finds out by itself whether it was done, by an inbox
 * or a unique key. Nobody is asked about an ambiguous commit: it is COMMIT_UNKNOWN at once. So COMMIT need not wait for the
 * transaction's number, and work that waits for no answer leaves in one packet.
 */
export function repeatableTransaction<R>(
  db: Database,
  who: Who,
  work: (ctx: Ctx) => Promise<R>,
): Promise<ValueOf<R>> {
  assertTenant(who);
  return transaction(db, who, { tenantId: who.tenantId, isRepeatable: true }, work);
}

/**
 * Like {@link tenantTransaction}, but the database refuses every write. It has no BEGIN and no COMMIT: under READ COMMITTED
 * each statement has a snapshot of its own anyway. Every packet names the tenant and is a transaction, so that reads
 * which leave together cost one round trip instead of two.
 */
export function tenantRead<R>(db: Database, who: Who, work: (ctx: Ctx) => Promise<R>): Promise<ValueOf<R>> {
  assertTenant(who);
  return onConnection(db, async (client, ended) => {
    const sent = new Sent(db.answerMs);
    const ctx = ctxOn(client, db, who, sent);
    const unled = leadPackets(client, { name: nameOf(readAs), text: readAs, values: [who.tenantId] });
    try {
      const value = await work(ctx);
      if (isAccepted(value) && value.events.length > 0) throw new TypeError('a read cannot publish events');
      await sent.done();
      ended('committed', true);
      sent.committed(db.log);
      return (isAccepted(value) ? value.value : value) as ValueOf<R>;
    } catch (error) {
      ended('aborted', error instanceof AppError || sqlState(error) !== undefined);
      throw error;
    } finally {
      end(ctx, sent);
      unled();
    }
  });
}

const readAs =
  "select set_config('app.tenant_id', $1, true), set_config('transaction_read_only', 'on', true)";

/**
 * A transaction without a tenant, for roles that work across tenants (`relay`, `maintenance`, `jobs_worker`). A
 * service role sees no tenant's rows in it.
 */
export function systemTransaction<R>(
  db: Database,
  who: Omit<Who, 'tenantId'>,
  work: (ctx: Ctx) => Promise<R>,
): Promise<ValueOf<R>> {
  return transaction(db, { ...who, tenantId: PLATFORM_TENANT_ID }, { tenantId: '' }, work);
}

function assertTenant({ tenantId }: Who): void {
  if (!isTenantId(tenantId)) throw coreErrors.TENANT_CONTEXT_MISSING({});
}

const setTenant = "select set_config('app.tenant_id', $1, true)";
const setTenantAndMark = `${setTenant}, pg_current_xact_id()::text as xid`;

/**
 * BEGIN, the tenant and the transaction's number, in one packet with the first statement of the work. The number must be
 * known before COMMIT leaves, or an ambiguous commit could not be settled.
 */
async function sendBegin(client: PoolClient, { tenantId, isRepeatable = false }: Kind): Promise<string> {
  const [, { rows }] = await Promise.all([
    sendPrepared(client, 'begin read write', []),
    sendPrepared(client, isRepeatable ? setTenant : setTenantAndMark, [tenantId]),
  ]);
  return rows[0].xid;
}

/** Whose rows a transaction sees ('' for nobody's), and whether its work finds out by itself if it was done. */
type Kind = { readonly tenantId: string; readonly isRepeatable?: boolean };

function transaction<R>(
  db: Database,
  who: Who,
  kind: Kind,
  work: (ctx: Ctx) => Promise<R>,
): Promise<ValueOf<R>> {
  return onConnection(db, async (client, ended) => {
    const bootId = kind.isRepeatable ? undefined : (bootIds.get(client) ?? (await rememberBootId(client)));
    // Not awaited: the first statement of `work` follows in the same packet. If BEGIN fails, so does everything after.
    const begun = sendBegin(client, kind);
    begun.catch(() => {});
    const sent = new Sent(db.answerMs);
    const ctx = ctxOn(client, db, who, sent);
    let value: ValueOf<R>;
    try {
      const result = resultOf(db, ctx, await work(ctx));
      value = result.value;
      append(db, ctx, result.rows);
      if (isArmed('db.before-commit')) await sent.done(); // a crash there must find it written
      await sent.checked();
      await failpoint('db.before-commit');
    } catch (error) {
      end(ctx, sent); // another branch of the work may still be at it, and its statements are nobody else's
      const reason = await sent.reasonFor(error);
      await begun.catch(() => {});
      await rollBack(client, ended);
      throw reason;
    }
    const mark = bootId === undefined ? undefined : { xid: await begun, bootId };
    end(ctx, sent);
    try {
      const outcome = await commit(db, client, mark);
      ended(outcome, client.getTransactionStatus() === 'I');
      if (outcome === 'unknown')
        throw coreErrors.COMMIT_UNKNOWN({ transaction: mark?.xid ?? 'one that may be repeated' });
    } catch (error) {
      // The line is as good as before: what failed was one of our own statements.
      if (error instanceof RolledBack) ended('aborted', true);
      else if (error instanceof StatementSkipped || isRefusal(error)) await rollBack(client, ended);
      throw await sent.reasonFor(error);
    }
    await failpoint('db.after-commit');
    sent.committed(db.log);
    return value;
  });
}

/** Tells how a transaction ended, and whether its connection can be used again. */
type Ended = (outcome: CommitOutcome, isUsable: boolean) => void;

/** Ends a transaction that failed; where that fails too, the connection is not used again. */
async function rollBack(client: PoolClient, ended: Ended): Promise<void> {
  await client.query('rollback').then(
    () => ended('aborted', true),
    () => {},
  );
}

/** Takes a connection for one transaction. Unless that tells otherwise it failed, and the connection's state is not known. */
async function onConnection<T>(
  db: Database,
  work: (client: PoolClient, ended: Ended) => Promise<T>,
): Promise<T> {
  const started = performance.now();
  const client = await connect(db);
  let outcome: CommitOutcome = 'aborted';
  let isUsable = false;
  try {
    return await work(client, (how, usable) => {
      outcome = how;
      isUsable = usable;
    });
  } finally {
    client.release(!isUsable);
    db.metrics?.inc('melmastoon_db_transactions_total', { service: db.service, outcome });
    db.metrics?.observe(
      'melmastoon_db_transaction_duration_seconds',
      { service: db.service },
      (performance.now() - started) / 1000,
    );
  }
}

function ctxOn(client: PoolClient, db: Database, who: Who, sent: Sent): Ctx {
  return {
    tx: txOn(client),
    newId,
    log: who.log ?? db.log ?? silent,
    now: who.now ?? new Date(),
    tenantId: who.tenantId,
    actor: who.actor,
    write: statement => sent.write(statement),
    ensure: check => sent.ensure(check),
    afterCommit: work => sent.afterCommit(work),
    count: (name, labels, by) => sent.afterCommit(() => db.metrics?.inc(name, labels, by)),
  };
}

function end({ tx }: Ctx, sent: Sent): void {
  endTx(tx);
  sent.end();
}

/** Sends COMMIT and finds out how it ended; throws when the server rolled back instead. Without a mark nobody can be asked. */
async function commit(
  db: Database,
  client: PoolClient,
  mark: TransactionMark | undefined,
): Promise<'committed' | 'unknown'> {
  let refusal: unknown;
  try {
    const { command } = await sendPrepared(client, 'commit', []);
    if (command === 'COMMIT') return 'committed';
    refusal = new RolledBack();
  } catch (error) {
    if (error instanceof StatementSkipped) throw error; // COMMIT was not run: what it left with had failed
    if (mark === undefined) {
      if (isRefusal(error)) throw error;
      return 'unknown';
    }
    const settled = await settleCommit(db.url, mark);
    db.log?.warn({ err: error, xid: mark.xid, settled }, 'the answer to COMMIT was lost; asked the server');
    if (settled !== 'aborted') return settled;
    refusal = error;
  }
  throw refusal;
}

/**
 * The server said no, for a constraint that is looked at on COMMIT as a rule. Not where it is in trouble itself: a failed fsync of
 * the write-ahead log is told as an error too, and after recovery the rows were there (safety F4).
 */
function isRefusal(error: unknown): boolean {
  const state = sqlState(error);
  return state !== undefined && !/^(53|58|F0|XX)/.test(state) && !isConnectionLoss(error);
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
