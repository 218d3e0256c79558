import type { Fence } from '@ghasi/brokers/broker';
import { cutConnection, type Database, type OutboxRow } from '@ghasi/db/database';
import { isConnectionLoss, sqlState } from '@ghasi/db/pg-errors';
import { NeverEnded } from '@ghasi/db/sent';
import { type Actor, type Ctx, repeatableTransaction } from '@ghasi/db/tenant-transaction';
import { AppError } from '@ghasi/domain-primitives/errors';
import { failpoint, isArmed } from '@ghasi/domain-primitives/failpoint';
import type { TenantId } from '@ghasi/domain-primitives/ids';
import type { UUIDv7 } from '@ghasi/domain-primitives/uuid';
import { type Inbox, KnownAlready } from './inbox.ts';
import type { Settled } from './observe-consumed.ts';
import { inTraceOfEvent, inTracesOfEvents } from './observe-trace.ts';
import type { ServiceOutbox } from './outbox.ts';
import type { Readable } from './read-delivery.ts';

/** What applying messages needs. */
export type ApplierOptions = {
  readonly db: Database;
  readonly inbox: Inbox;
  readonly outbox: ServiceOutbox;
  readonly actor: Actor;
  /** How long one message may take. Default 8 s. */
  readonly handlerMs?: number;
};

/** Messages of one tenant, in their order. */
type Batch = { readonly reads: readonly Readable[]; readonly fence: Fence | undefined };

const HANDLER_MS = 8_000;
const LONGEST_MS = 14_000; // a batch; the server ends a statement, and a transaction that waits for us, after 15 s
/** The server's limits: of a wait for a lock, of a statement, of a transaction that is idle, of one that is not. */
const LIMITS = new Set(['55P03', '57014', '25P03', '25P04']);

/** A reaction did not end in time. */
export class TookTooLong extends Error {
  override name = 'TookTooLong';
}

/** A reaction lost a connection, but not that of its transaction: a failure of its own. `cause` is what it threw. */
export class LostElsewhere extends Error {
  override name = 'LostElsewhere';
}

/**
 * Claims messages of one tenant, runs their reactions and appends what these cause, in one transaction: all or, when it
 * throws, nothing. In the hope that all are new, reactions do not wait for the inbox to say so: claims and first statements
 * leave in one packet, and nothing is kept unless all were new. If some were not, it is done once more with care.
 */
export class Applier {
  readonly #options: ApplierOptions;

  constructor(options: ApplierOptions) {
    this.#options = options;
  }

  async apply(batch: Batch): Promise<Settled[]> {
    try {
      return await this.#inTransaction(batch, ctx => this.#hopefully(ctx, batch));
    } catch (error) {
      // Also where nobody answered to COMMIT: the inbox knows whether it was committed.
      if (!(error instanceof KnownAlready || isUnknown(error))) throw error;
      return this.#inTransaction(batch, ctx => this.#carefully(ctx, batch));
    }
  }

  #inTransaction({ reads }: Batch, work: (ctx: Ctx) => Promise<Settled[]>): Promise<Settled[]> {
    const { db, actor, handlerMs = HANDLER_MS } = this.#options;
    const who = { tenantId: reads[0]?.delivery.tenantId as TenantId, actor };
    const limitMs = Math.min(handlerMs * Math.min(reads.length, 4), LONGEST_MS);
    const tellingWhose = (ctx: Ctx) => work(ctx).catch(error => whoseLoss(ctx, error));
    return repeatableTransaction(db, who, ctx => withTimeout(ctx, limitMs, () => tellingWhose(ctx))).catch(
      asTookTooLong,
    );
  }

  async #hopefully(ctx: Ctx, batch: Batch): Promise<Settled[]> {
    const { inbox } = this.#options;
    const isLooked = isArmed('consumer.after-claim'); // a crash there must find the claims written
    if (isLooked || batch.reads.some(isAgain) || !inbox.areRecent(ctx, claimsOf(batch)))
      return this.#carefully(ctx, batch);
    const claimed = inbox.claimNew(ctx, claimsOf(batch), batch.fence);
    ctx.write(claimed);
    try {
      return await this.#reactToAll(ctx, batch.reads, () => true);
    } catch (error) {
      await claimed; // if it was not: a reaction to what was seen before may fail, and that says nothing
      throw error;
    }
  }

  async #carefully(ctx: Ctx, batch: Batch): Promise<Settled[]> {
    const fresh = await this.#options.inbox.claim(ctx, claimsOf(batch), batch.fence);
    await failpoint('consumer.after-claim');
    return this.#reactToAll(ctx, batch.reads, place => fresh.has(place));
  }

  async #reactToAll(
    ctx: Ctx,
    reads: readonly Readable[],
    isNew: (place: number) => boolean,
  ): Promise<Settled[]> {
    const results: Settled[] = [];
    const rows: OutboxRow[] = []; // of all events they cause, written together
    while (results.length < reads.length) {
      const place = results.length;
      const read = reads[place] as Readable;
      const together = untilAnother(reads, place, isNew);
      if (together.length > 1) {
        rows.push(...(await this.#reactToMany(ctx, together)));
        for (const _ of together) results.push('ok');
        continue;
      }
      const result = isNew(place) ? await this.#react(ctx, read) : 'seen';
      if (result === 'noop') this.#options.inbox.markNoop(ctx, read.claim);
      if (typeof result === 'string') results.push(result);
      else {
        rows.push(...result);
        results.push('ok');
      }
    }
    this.#append(ctx, rows);
    await failpoint('consumer.after-effect');
    return results;
  }

  /** In no message's trace: an event it causes names its own cause, or starts a trace. */
  async #reactToMany(ctx: Ctx, reads: readonly Readable[]): Promise<OutboxRow[]> {
    const events = await inTracesOfEvents(reads, async () => reads[0]?.reaction.handleMany?.(ctx, reads));
    return this.#options.outbox.rowsOf(ctx, events || []);
  }

  /** Runs the reaction, and gives what it caused, in the trace of its event: the next event belongs there too (ENV-09). */
  #react(ctx: Ctx, read: Readable): Promise<'noop' | OutboxRow[]> {
    const { reaction, envelope, payload } = read;
    return inTraceOfEvent(read, async () => {
      const events = (await reaction.handle(ctx, payload, envelope)) ?? [];
      if (events === 'noop') return 'noop';
      return this.#options.outbox.rowsOf(ctx, events, { causationId: envelope.eventId as UUIDv7 });
    });
  }

  #append(ctx: Ctx, rows: readonly OutboxRow[]): void {
    if (rows.length === 0) return;
    const { outbox } = this.#options;
    ctx.write(outbox.insert(ctx, rows));
    ctx.afterCommit(() => outbox.committed(ctx.tenantId));
  }
}

const isUnknown = (error: unknown) => error instanceof AppError && error.code === 'COMMIT_UNKNOWN';

/** Whatever failed before or is replayed is in the inbox already, most likely. */
const isAgain = ({ delivery: { attempt, attributes } }: Readable) =>
  attempt > 1 || attributes.replayOf !== undefined || attributes.replayTarget !== undefined;

const claimsOf = ({ reads }: Batch) => reads.map(({ claim }) => claim);

/** New messages from `place` on that one call of their reaction can take. */
function untilAnother(
  reads: readonly Readable[],
  place: number,
  isNew: (place: number) => boolean,
): readonly Readable[] {
  const { reaction } = reads[place] as Readable;
  if (reaction.handleMany === undefined) return [];
  let end = place;
  while (end < reads.length && reads[end]?.reaction === reaction && isNew(end)) end++;
  return reads.slice(place, end);
}

/** A reaction may as well hang in the database, or in what it ensures: those have limits of their own. */
function asTookTooLong(error: unknown): never {
  if (!(error instanceof NeverEnded || LIMITS.has(sqlState(error) ?? ''))) throw error;
  throw new TookTooLong(`took too long: ${(error as Error).message}`, { cause: error });
}

/**
 * Whoever cannot reach a vendor or a cache fails with the same words as one whose database is away, and taken for that, one
 * message held up its subscription for ever. Our own connection knows: in a failed transaction it answers too, with a refusal.
 */
async function whoseLoss(ctx: Ctx, error: unknown): Promise<never> {
  if (!isConnectionLoss(error)) throw error;
  const isOurs = await ctx.tx.$client.query('select 1').then(() => false, isConnectionLoss);
  if (isOurs) throw error;
  throw new LostElsewhere('a connection was lost, but not ours', { cause: error });
}

/** Ends work that takes too long. Its connection is cut, so that whatever it still does reaches nothing. */
async function withTimeout<T>(ctx: Ctx, ms: number, work: () => Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    late.reject(new TookTooLong(`took longer than ${ms} ms`));
    cutConnection(ctx.tx);
  }, ms);
  try {
    return await Promise.race([work(), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
