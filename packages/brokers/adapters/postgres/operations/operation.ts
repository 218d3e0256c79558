import type { Database } from '@ghasi/db/database';
import { sql } from '@ghasi/db/drizzle';
import { retryOnConflict } from '@ghasi/db/optimistic';
import { execute, type Tx } from '@ghasi/db/sql';
import { type Ctx, systemTransaction } from '@ghasi/db/tenant-transaction';
import { AppError } from '@ghasi/domain-primitives/errors';
import { brokerErrors } from '../../../errors.ts';
import { CHANNEL } from '../wake-up.ts';

/** Who changes what is on its way, and why. With `dryRun` nothing is changed, and the answer says what would be. */
export type Change = { readonly actor: string; readonly reason: string; readonly dryRun?: boolean };

/** How far a long change has come. */
export type OnProgress = (done: number, total: number) => void;

/** What an entry of the audit trail says (DLQ-25, safety rule 28). */
export type Entry = {
  readonly action:
    | 'dlq.replay'
    | 'dlq.skip'
    | 'dlq.quarantine'
    | 'subscription.seek'
    | 'subscription.drop'
    | 'log.replay'
    | 'inbox.clear'
    | 'outbox.release'
    | 'outbox.skip'
    | 'outbox.republish'
    | 'jobs.retry'
    | 'jobs.cancel'
    | 'release.unread';
  readonly detail: Readonly<Record<string, unknown>>;
  /** Whom to wake when it is committed; undefined when nobody waits for it. */
  readonly wake: 'parked' | 'log' | `outbox:${string}` | undefined;
};

/** Rows of one transaction of a long change: short enough to stop nobody else. */
export const BATCH = 500;

/** Runs one step of a change. In a dry run the database itself refuses every write. What is sent by `write` leaves with COMMIT. */
export async function operate<T>(
  db: Database,
  change: Change,
  work: (tx: Tx, write: Ctx['write']) => Promise<T>,
): Promise<T> {
  const { actor, reason, dryRun = false } = change;
  if (!dryRun && (actor.trim() === '' || reason.trim() === '')) throw brokerErrors.REASON_MISSING();
  const done = retryOnConflict(() =>
    systemTransaction(db, { actor: { type: 'user', id: actor } }, async ({ tx, write }): Promise<T> => {
      if (dryRun) await execute(tx, sql`set transaction read only`);
      return work(tx, write);
    }),
  ) as Promise<T>;
  return done.catch(error => {
    const isUnknown = error instanceof AppError && error.code === 'COMMIT_UNKNOWN';
    throw isUnknown ? brokerErrors.OUTCOME_UNKNOWN({}, { cause: error }) : error; // an operator has no Idempotency-Key
  });
}

/** Writes the audit entry and wakes the consumers, both with the commit of the change itself. */
export async function record(tx: Tx, change: Change, { action, detail, wake }: Entry): Promise<void> {
  await execute(
    tx,
    sql`insert into brokers.operation (actor, action, reason, detail)
        values (${change.actor}, ${action}, ${change.reason}, ${JSON.stringify(detail)})`,
  );
  if (wake !== undefined) await execute(tx, sql`select pg_notify(${CHANNEL}, ${`cli ${wake}`})`);
}

/** Reads for an operator; the database refuses every write. */
export function look<T>(db: Database, work: (tx: Tx) => Promise<T>): Promise<T> {
  return operate(db, { actor: 'operator', reason: '', dryRun: true }, work);
}
