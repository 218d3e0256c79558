import { NodePgDatabase, NodePgSession } from 'drizzle-orm/node-postgres';
import type { ClientBase, QueryConfig } from 'pg';
import type { SQL } from './drizzle.ts';
import { QuickDialect } from './quick-dialect.ts';
import { sendPrepared } from './send.ts';
import type { RowOptions } from './statement-batch.ts';

/** A transaction as handlers see it: Drizzle on one connection that already carries the tenant. */
export type Tx = NodePgDatabase<Record<string, never>> & { $client: ClientBase };

/** A statement was sent by a branch of a transaction's work that nobody waited for. */
export class TransactionOver extends Error {
  override name = 'TransactionOver';
  constructor() {
    super(
      'This transaction has ended, so nothing was sent: part of its work went on without being waited for.',
    );
  }
}

const dialect = new QuickDialect();
let parsers: RowOptions['types'];

/** The connection of one transaction, until that ends: then it serves others, and nothing more may be sent. */
class Line {
  readonly #client: ClientBase;
  isOver = false;

  constructor(client: ClientBase) {
    this.#client = client;
  }

  get client(): ClientBase {
    if (this.isOver) throw new TransactionOver();
    return this.#client;
  }

  /**
   * The builder's statements are prepared once and leave together like all others. It makes its parsers anew for each
   * statement, always the same ones: the first are used for all.
   */
  query({ text, rowMode, types }: QueryConfig & RowOptions, values: unknown[] = []) {
    parsers ??= types;
    return sendPrepared(this.client, text, values, { ...(rowMode ? { rowMode } : {}), types: parsers });
  }
}

type Bound = { session: { client: Line } };

// Made once: a transaction gets objects that only know its line and find the rest here.
const anySession = new NodePgSession(undefined as never, dialect, undefined);
const anyTx = Object.defineProperty(new NodePgDatabase(dialect, anySession as never, undefined), '$client', {
  get(this: Bound) {
    return this.session.client.client;
  },
});

/** Drizzle on a connection, for one transaction; `endTx` says that it is over. */
export function txOn(client: ClientBase): Tx {
  const session = Object.create(anySession) as Bound['session'];
  session.client = new Line(client);
  const tx = Object.create(anyTx) as Bound;
  tx.session = session;
  return tx as unknown as Tx;
}

/** From now on nothing can be sent through it: what a branch of the work still wants to send is refused. */
export function endTx(tx: Tx): void {
  (tx as unknown as Bound).session.client.isOver = true;
}

/**
 * Runs a `sql` template and returns its rows with our type parsers (Drizzle's own `execute` returns timestamps as
 * text). Use it where locking or a hand-written statement matters; use Drizzle's builder for ordinary reads.
 */
export async function rows<Row extends object>(tx: Tx, query: SQL): Promise<Row[]> {
  const { sql: text, params } = dialect.sqlToQuery(query);
  const result = await sendPrepared(tx.$client, text, params);
  return result.rows as Row[];
}

/** The first row of a `sql` template, or undefined. */
export async function row<Row extends object>(tx: Tx, query: SQL): Promise<Row | undefined> {
  return (await rows<Row>(tx, query))[0];
}

/** Runs a `sql` template for its effect and returns how many rows it touched. */
export async function execute(tx: Tx, query: SQL): Promise<number> {
  const { sql: text, params } = dialect.sqlToQuery(query);
  const result = await sendPrepared(tx.$client, text, params);
  return result.rowCount ?? 0;
}
