import { AsyncLocalStorage } from 'node:async_hooks';
import { coreErrors } from '@ghasi/domain-primitives/errors';
import type { ValueOf } from './accepted.ts';
import type { Ctx, Who } from './ctx.ts';
import type { Database } from './database.ts';
import { isConnectionLoss } from './pg-errors.ts';
import { append, resultOf } from './result-of.ts';
import { tenantTransaction } from './tenant-transaction.ts';

/** What a use case that only writes gets: there is nothing in it to wait for. */
export type WriteCtx = Omit<Ctx, 'ensure'>;

/** Two, so that the server works on one while Node prepares the next; a third gained nothing on two processors (measured). */
const MOST_UNDER_WAY = 2;
/** Most use cases in one transaction: when one of them fails, so many are done again. */
const MOST_TOGETHER = 64;
/** Of those that are done again, so many at once: the rest of the pool is for others, also while these wait for locks. */
const MOST_ALONE = 4;

/** One caller: what is to be written for whom, and where the answer goes. */
type Entry = {
  readonly who: Who;
  /** Does the work, in the caller's scope: its trace is that of his events. */
  readonly write: (ctx: Ctx) => ReturnType<typeof resultOf>;
  readonly answer: PromiseWithResolvers<unknown>;
  readonly since: number;
};

/** Use cases of one tenant that wait for their turn. */
type Line = { waiting: Entry[]; underWay: number; isCalled: boolean };

const linesOf = new WeakMap<Database, Map<string, Line>>();

/**
 * A use case that only writes: `work` says what, without waiting for any answer, and may end with `accepted(value, events)`.
 * Those of one tenant that come while others are under way go into one transaction together, which costs a third of one each
 * (measured). To each caller it is a transaction of his own: its writes are kept all or none, a failure is his alone, and when
 * this returns they are committed. What it shares is the wait for locks: it is meant for inserts, and for changes of rows that
 * nobody holds for long. After a failure `work` is asked again, so it must change nothing outside of `ctx`.
 */
export function tenantWrite<R>(
  db: Database,
  who: Who,
  work: (ctx: WriteCtx) => R & (R extends PromiseLike<unknown> ? never : unknown),
): Promise<ValueOf<R>> {
  const answer = Promise.withResolvers<unknown>();
  const inScope = AsyncLocalStorage.snapshot();
  const line = lineOf(db, who.tenantId);
  const write = (ctx: Ctx) => inScope(() => resultOf(db, ctx, atOnce(work(ctx))));
  line.waiting.push({ who, write, answer, since: performance.now() });
  sendSoon(db, line);
  return answer.promise as Promise<ValueOf<R>>;
}

function lineOf(db: Database, tenantId: string): Line {
  const lines = linesOf.get(db) ?? new Map<string, Line>();
  linesOf.set(db, lines);
  const line = lines.get(tenantId) ?? { waiting: [], underWay: 0, isCalled: false };
  lines.set(tenantId, line);
  return line;
}

/** Not at once: whoever is answered now may come again before the next packet leaves. */
function sendSoon(db: Database, line: Line): void {
  if (line.isCalled) return;
  line.isCalled = true;
  process.nextTick(sendWaiting, db, line);
}

/** Shares out what waits among the transactions that may still begin. */
function sendWaiting(db: Database, line: Line): void {
  line.isCalled = false;
  refuseLate(db, line);
  while (line.waiting.length > 0 && line.underWay < MOST_UNDER_WAY) {
    const share = Math.ceil(line.waiting.length / (MOST_UNDER_WAY - line.underWay));
    const batch = line.waiting.splice(0, Math.min(share, MOST_TOGETHER));
    line.underWay++;
    void together(db, batch).then(() => {
      line.underWay--;
      sendSoon(db, line);
    });
  }
}

/** Nobody waits longer for his turn than for a connection: when the server is away, all would be told one batch after the other. */
function refuseLate(db: Database, line: Line): void {
  const latest = performance.now() - (db.pool.options.connectionTimeoutMillis || Number.POSITIVE_INFINITY);
  const inTime = line.waiting.findIndex(({ since }) => since >= latest);
  const late = line.waiting.splice(0, inTime === -1 ? line.waiting.length : inTime);
  for (const { answer } of late) answer.reject(coreErrors.UNAVAILABLE({ what: 'database' }));
}

/** All of a batch in one transaction; if that fails, each in its own. */
async function together(db: Database, batch: readonly Entry[]): Promise<void> {
  const thrown = new Set<unknown>();
  try {
    const values = await inOneTransaction(db, batch, thrown);
    for (const [place, { answer }] of batch.entries()) answer.resolve(values[place]);
  } catch (error) {
    const isOfOne = thrown.has(error) || !isConnectionLoss(error);
    if (batch.length > 1 && isOfOne) await eachAlone(db, batch);
    else for (const { answer } of batch) answer.reject(error);
  }
}

async function eachAlone(db: Database, batch: readonly Entry[]): Promise<void> {
  const left = batch.values();
  const oneByOne = async () => {
    for (const entry of left) await together(db, [entry]);
  };
  await Promise.all(Array.from({ length: MOST_ALONE }, oneByOne));
}

/** `thrown` gets what a caller's work threw: it may look like a lost connection, and says nothing about the others. */
function inOneTransaction(db: Database, batch: readonly Entry[], thrown: Set<unknown>): Promise<unknown[]> {
  const { tenantId, actor } = (batch[0] as Entry).who; // without a log of one for all the others
  return tenantTransaction(db, { tenantId, actor }, async shared => {
    const results = batch.map(({ who, write }) => {
      const { actor, now = new Date(), log = shared.log } = who;
      try {
        return write({ ...shared, actor, now, log });
      } catch (error) {
        thrown.add(error);
        throw error;
      }
    });
    append(
      db,
      shared,
      results.flatMap(({ rows }) => rows),
    );
    return results.map(({ value }) => value);
  });
}

function atOnce<T>(value: T): T {
  if (!(value instanceof Promise)) return value;
  value.catch(() => {}); // its transaction ends without it: nobody would hear of its failure, and that ends a process
  throw new TypeError('tenantWrite: its work must not wait for anything');
}
