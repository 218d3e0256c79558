import type { Client, ClientBase } from 'pg';
import { openClient } from './database.ts';
import { sqlState } from './pg-errors.ts';

/** What became of a transaction. Unknown: the cut or error came while COMMIT was in flight. */
export type CommitOutcome = 'committed' | 'aborted' | 'unknown';

/** How to find a transaction again: its number, and the life of the server in which that number was drawn. */
export type TransactionMark = { xid: string; bootId: string };

const SETTLE_WITHIN_MS = 60_000; // longer than every role's transaction_timeout, so "in progress" ends by itself

const ANSWER_MS = 5_000;

/**
 * Asks the server how an ambiguous commit ended, over a connection of its own, until it knows.
 *
 * After a crash a transaction number whose WAL never reached the disk is drawn again, so "committed" may then speak
 * of somebody else's transaction. The boot id lives in an unlogged table, which crash recovery empties: another boot
 * id means a crash in between, and then only "aborted" can be believed. The caller's own unique id (the idempotency
 * key) must decide the rest. What is in progress is asked again in any case: a pooler keeps a client's connection through
 * a crash, and then the boot id is old although the transaction is not.
 */
export async function settleCommit(
  url: string,
  mark: TransactionMark,
  withinMs: number = SETTLE_WITHIN_MS,
): Promise<CommitOutcome> {
  const deadline = performance.now() + withinMs;
  for (let pause = 5; ; pause = Math.min(pause * 2, 500)) {
    const answer = await ask(url, mark);
    if (answer !== undefined) return answer;
    if (performance.now() + pause > deadline) return 'unknown';
    await new Promise(resolve => setTimeout(resolve, pause));
  }
}

/** One question; undefined when the server is away or the transaction still runs. */
async function ask(url: string, mark: TransactionMark): Promise<CommitOutcome | undefined> {
  let client: Client | undefined;
  try {
    client = await openClient(url, 'settle-commit', ANSWER_MS);
    const crashed = (await readBootId(client)) !== mark.bootId;
    const { rows } = await client.query('select pg_xact_status($1::xid8) as status', [mark.xid]);
    const status = rows[0]?.status as string | null;
    if (status === 'committed') return crashed ? 'unknown' : 'committed';
    if (status === 'aborted') return 'aborted';
    if (status === 'in progress') return undefined;
    return 'unknown'; // null: so old that the server has forgotten it
  } catch (error) {
    // 22023: the number lies in the future, so a crash took the transaction with it.
    return sqlState(error) === '22023' ? 'aborted' : undefined;
  } finally {
    await client?.end().catch(() => {});
  }
}

/** The id of the server's present life: kept through clean restarts, new after a crash. */
export async function readBootId(client: ClientBase): Promise<string> {
  const { rows } = await client.query('select app.boot_id() as id');
  return rows[0].id as string;
}
