import type { ClientBase, Pool, QueryConfig, QueryResult } from 'pg';
import { queryPrepared, type RowOptions } from './statement-batch.ts';

const MOST_NAMED = 2_000;
const LONGEST_NAMED = 4_000;
/** COMMIT is called what it is, so that whoever looks at the line can tell it from the others. */
const names = new Map([['commit', 'commit']]);

/**
 * A parameterised statement under a name of its own, so that the server parses and plans it once per connection
 * (measured: a quarter of the server's time per transaction, since row-level security makes planning dearer). Texts
 * come from templates and builders, so there are few; bulk inserts, each as long as its rows, go unnamed, and so does
 * everything past the limit.
 */
export function sendPrepared(
  client: ClientBase,
  text: string,
  values: unknown[],
  more?: RowOptions,
): Promise<QueryResult> {
  return queryPrepared(client, { name: nameOf(text), text, values, ...more });
}

/** One statement on its own, on any connection of a pool; a connection on which it failed is not used again. */
export async function sendAlone(
  pool: Pool,
  text: string,
  values: unknown[],
  more?: Pick<QueryConfig, 'types'>,
): Promise<QueryResult> {
  const client = await pool.connect();
  let broken = true;
  try {
    const result = await sendPrepared(client, text, values, more);
    broken = false;
    return result;
  } finally {
    client.release(broken);
  }
}

/** The name of a statement; '' for one that has none. */
export function nameOf(text: string): string {
  const known = names.get(text);
  if (known !== undefined) return known;
  if (names.size >= MOST_NAMED || text.length > LONGEST_NAMED) return '';
  const name = `melm_${names.size}`;
  names.set(text, name);
  return name;
}
