import type { ClientBase, Pool, QueryConfig, QueryResult } from 'pg';

/** The socket under a connection. pg keeps it for itself, but has had it in this place since its first versions. */
type Wire = { connection?: { stream?: { cork(): void; uncork(): void; writableCorked: number } } };

/**
 * Sends a statement. What is sent in one go of the event loop (BEGIN and the first statement, or several statements
 * under one `Promise.all`) leaves as one packet: a write costs more processor time than building the message
 * (measured: writes were 70 % of Node's time per transaction).
 */
export function send(client: ClientBase, query: QueryConfig | string): Promise<QueryResult> {
  const stream = (client as unknown as Wire).connection?.stream;
  if (stream !== undefined && stream.writableCorked === 0) {
    stream.cork();
    process.nextTick(() => stream.uncork());
  }
  return client.query(query as QueryConfig);
}

const MOST_NAMED = 2_000;
const LONGEST_NAMED = 4_000;
const names = new Map<string, string>();

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
  more?: Pick<QueryConfig, 'types'> & { rowMode?: string },
): Promise<QueryResult> {
  const name = nameOf(text);
  return send(client, name === undefined ? { ...more, text, values } : { ...more, name, text, values });
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

function nameOf(text: string): string | undefined {
  const known = names.get(text);
  if (known !== undefined || names.size >= MOST_NAMED || text.length > LONGEST_NAMED) return known;
  const name = `melm_${names.size}`;
  names.set(text, name);
  return name;
}
