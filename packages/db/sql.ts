import { NodePgDatabase, NodePgSession } from 'drizzle-orm/node-postgres';
import type { ClientBase, QueryConfig } from 'pg';
import type { SQL } from './drizzle.ts';
import { QuickDialect } from './quick-dialect.ts';
import { sendPrepared } from './send.ts';
import type { RowOptions } from './statement-batch.ts';

/** A transaction as handlers see it: Drizzle on one connection that already carries the tenant. */
export type Tx = NodePgDatabase<Record<string, never>> & { $client: ClientBase };

const dialect = new QuickDialect();
const instances = new WeakMap<ClientBase, Tx>();

/** The Drizzle instance of a connection; made once, since a pooled connection serves thousands of transactions. */
export function txOn(client: ClientBase): Tx {
  let tx = instances.get(client);
  if (tx === undefined) {
    const session = new NodePgSession(preparing(client) as never, dialect, undefined);
    tx = Object.assign(new NodePgDatabase(dialect, session as never, undefined) as unknown as Tx, {
      $client: client,
    });
    instances.set(client, tx);
  }
  return tx;
}

/**
 * The same connection, on which statements of the builder are prepared once and leave together like all others. The builder
 * makes its parsers anew for each statement, always the same ones: the first are used for all.
 */
function preparing(client: ClientBase): ClientBase {
  let parsers: RowOptions['types'];
  const query = ({ text, rowMode, types }: QueryConfig & RowOptions, values: unknown[] = []) => {
    parsers ??= types;
    return sendPrepared(client, text, values, { ...(rowMode ? { rowMode } : {}), types: parsers });
  };
  return Object.create(client, { query: { value: query } });
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
