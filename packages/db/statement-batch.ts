import { type ClientBase, DatabaseError, Query, type QueryConfig, type QueryResult, Result } from 'pg';

/** How rows are read, as pg names it. */
export type RowOptions = Pick<QueryConfig, 'types'> & { rowMode?: string };

/** A statement under a name of its own; without one ('') it is parsed each time. */
export type Prepared = RowOptions & { name: string; text: string; values: unknown[] };

/** A statement that was never run, because one before it in the same packet failed: that is its `cause`. */
export class StatementSkipped extends Error {
  override name = 'StatementSkipped';
  constructor(cause: unknown) {
    super(`Not run: a statement sent before it failed (${cause instanceof Error ? cause.message : cause}).`, {
      cause,
    });
  }
}

/**
 * Runs a prepared statement. What is sent in one go of the event loop (BEGIN and the first statement, or several under
 * one `Promise.all`, or the last one and COMMIT) leaves as one packet with one Sync at its end, and is answered as one.
 * To write to a socket costs more than to run a small statement: it wakes another process (measured: 50 µs a write, 43 % of Node's
 * time per transaction; and the server would write once per Sync). After a statement that fails, the rest of its
 * packet is not run. Outside of a transaction a packet is one transaction.
 */
export function queryPrepared(client: ClientBase, prepared: Prepared): Promise<QueryResult> {
  let batch = waiting.get(client);
  if (batch === undefined) {
    if (!plainQueries.has(client)) keepOrder(client);
    batch = new StatementBatch();
    waiting.set(client, batch);
    const leader = leaders.get(client);
    if (leader !== undefined) batch.add(leader).catch(() => {}); // if it fails, so does whatever it leads
    process.nextTick(flush, client);
  }
  return batch.add(prepared).catch(error => {
    Error.captureStackTrace(error); // as pg does: from here, a stack leads to whoever sent the statement
    throw error;
  });
}

const waiting = new WeakMap<ClientBase, StatementBatch>();
const leaders = new WeakMap<ClientBase, Prepared>();
const plainQueries = new WeakMap<ClientBase, (...query: unknown[]) => unknown>();

/** From now on every packet begins with this statement, until the answer is called. */
export function leadPackets(client: ClientBase, leader: Prepared): () => void {
  leaders.set(client, leader);
  return () => {
    flush(client); // what still waits was meant to be led
    leaders.delete(client);
  };
}

function flush(client: ClientBase): void {
  const batch = waiting.get(client);
  if (batch === undefined) return;
  waiting.delete(client);
  plainQueries.get(client)?.(batch);
}

/** Whatever else is sent on this connection leaves after what waits. */
function keepOrder(client: ClientBase): void {
  const query = client.query.bind(client) as (...query: unknown[]) => unknown;
  plainQueries.set(client, query);
  client.query = ((...args: unknown[]) => {
    if (leaders.has(client)) throw new TypeError('Only prepared statements can be led: use sendPrepared.');
    flush(client);
    return query(...args);
  }) as ClientBase['query'];
}

// What pg keeps for itself; the tests of this file would notice if it moved.
type Shape = { fields: unknown; _parsers: unknown; _prebuiltEmptyResultObject: unknown };
type PgResult = QueryResult &
  Shape & {
    _types: unknown;
    parseRow(values: unknown): unknown;
    addFields(fields: unknown): void;
    addCommandComplete(message: unknown): void;
  };
type Connection = {
  submittedNamedStatements: Record<string, string>;
  describe(portal: object): void;
  sync(): void;
  stream: { cork(): void; uncork(): void };
};
declare class PgQuery {
  name: string;
  text: string;
  values: unknown[];
  callback: (error?: unknown) => void;
  _result: PgResult;
  constructor(text: string);
  /** Parse unless that was done, Bind, Describe, Execute, Sync. */
  prepare(connection: Connection): void;
}
const NewResult = Result as unknown as new (rowMode: string | undefined, types: unknown) => PgResult;

/** What the rows of a statement look like; the server keeps to it for as long as the statement is prepared. */
type Known = { readonly types: unknown; readonly shape: Shape | undefined };

/** A connection, and the same without Sync, with and without asking what rows look like. */
type Line = { readonly known: Map<string, Known>; readonly asking: Connection; readonly silent: Connection };
const lines = new WeakMap<Connection, Line>();

function lineOf(connection: Connection): Line {
  let line = lines.get(connection);
  if (line === undefined) {
    const nothing = { value() {} };
    // Nor Close: pg sends it after values that cannot be written, and goes on believing that the statement is prepared.
    const asking: Connection = Object.create(connection, { sync: nothing, close: nothing });
    line = { known: new Map(), asking, silent: Object.create(asking, { describe: nothing }) };
    lines.set(connection, line);
  }
  return line;
}

type Statement = {
  readonly prepared: Prepared;
  readonly result: PgResult;
  readonly answer: PromiseWithResolvers<QueryResult>;
  isKnown: boolean;
  /** Its values could not be written, or a row of it could not be read. */
  failure?: unknown;
};

/**
 * The protocol counts values in two bytes, and pg begins again at zero. The server then calls it a broken protocol (08P01), which
 * says nothing about who is to blame: poolers say the same when they have lost the server.
 */
const MOST_VALUES = 65_535;
const tooMany = (count: number) =>
  `A statement takes ${MOST_VALUES} values at most, and this one has ${count}: send rows as one JSON value (insertAll).`;

/** To pg this is one query; it answers for each of its statements in turn. */
class StatementBatch extends (Query as unknown as typeof PgQuery) {
  readonly #statements: Statement[] = [];
  #known: Line['known'] = new Map();
  #isSending = false;
  /** The statement that is being answered. */
  #at = 0;

  constructor() {
    super('');
    this.callback = () => {}; // pg puts its own in front, to know when it need not wait any more
  }

  add(prepared: Prepared): Promise<QueryResult> {
    const answer = Promise.withResolvers<QueryResult>();
    const result = new NewResult(prepared.rowMode, prepared.types);
    this.#statements.push({ prepared, result, answer, isKnown: false });
    return answer.promise;
  }

  submit(connection: Connection): null {
    const { known, asking, silent } = lineOf(connection);
    this.#known = known;
    this.#isSending = true;
    connection.stream.cork();
    for (this.#at = 0; this.#at < this.#statements.length; this.#at++) {
      const statement = this.#current;
      const { result, prepared } = statement;
      result._types ??= this._result._types; // pg gives its queries the parsers of the connection
      const found = prepared.name === '' ? undefined : known.get(prepared.name);
      statement.isKnown = found !== undefined && found.types === result._types;
      if (statement.isKnown) Object.assign(result, found?.shape);
      this.#showCurrent();
      const count = prepared.values.length;
      if (count <= MOST_VALUES) this.prepare(statement.isKnown ? silent : asking);
      else statement.failure = new RangeError(tooMany(count));
      if (statement.failure !== undefined) break; // the rest is not sent
    }
    connection.sync();
    connection.stream.uncork();
    this.#isSending = false;
    this.#at = 0;
    this.#showCurrent();
    return null;
  }

  handleRowDescription({ fields }: { fields: unknown }): void {
    const { result } = this.#current;
    result.addFields(fields);
    const { _parsers, _prebuiltEmptyResultObject } = result;
    this.#learn({ fields: result.fields, _parsers, _prebuiltEmptyResultObject });
  }

  handleDataRow({ fields }: { fields: unknown }): void {
    const statement = this.#current;
    if (statement.failure !== undefined) return;
    try {
      statement.result.rows.push(statement.result.parseRow(fields) as never);
    } catch (error) {
      statement.failure = error;
    }
  }

  handleCommandComplete(message: unknown): void {
    this.#current.result.addCommandComplete(message);
    this.#complete();
  }

  handleEmptyQuery(): void {
    this.#complete();
  }

  /** An error of the server or of the line; or, while it sends, of values that cannot be written. */
  handleError(error: unknown, connection: Connection): void {
    if (this.#isSending) {
      this.#current.failure = error;
      return;
    }
    const [failed, ...rest] = this.#statements.slice(this.#at) as [Statement, ...Statement[]];
    failed.answer.reject(error);
    // What the server refused is over; what was cut off may have been run all the same.
    const isCut = this.#current.failure === undefined && !(error instanceof DatabaseError);
    for (const { answer, prepared } of rest) {
      delete connection.submittedNamedStatements[prepared.name];
      answer.reject(isCut ? error : new StatementSkipped(error));
    }
    this.callback(error);
  }

  /** The last statement is answered here: only now it is known in which state it left the transaction. */
  handleReadyForQuery(connection: Connection): void {
    const statement = this.#current;
    const isAnswered = statement.result.command !== null;
    if (!isAnswered && statement.failure !== undefined) this.handleError(statement.failure, connection);
    else settle(statement);
    this.callback();
  }

  #complete(): void {
    const statement = this.#current;
    if (!statement.isKnown) this.#learn(undefined); // it has no rows
    if (this.#at === this.#statements.length - 1) return;
    settle(statement);
    this.#at++;
    this.#showCurrent();
  }

  #learn(shape: Shape | undefined): void {
    const statement = this.#current;
    statement.isKnown = true;
    const { name } = statement.prepared;
    if (name !== '') this.#known.set(name, { types: statement.result._types, shape });
  }

  get #current(): Statement {
    return this.#statements[this.#at] as Statement;
  }

  /** pg looks at these when it sends a statement, and when the server has parsed or refused it. */
  #showCurrent(): void {
    const { name, text, values } = this.#current.prepared;
    this.name = name;
    this.text = text;
    this.values = values;
  }
}

function settle({ answer, result, failure }: Statement): void {
  if (failure === undefined) answer.resolve(result);
  else answer.reject(failure);
}
