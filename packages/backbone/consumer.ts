import { setImmediate } from 'node:timers/promises';
import type { Delivery, Fence, Outcome, Subscriber } from '@ghasi/brokers/broker';
import type { Database } from '@ghasi/db/database';
import { isConnectionLoss, sqlState } from '@ghasi/db/pg-errors';
import type { TenantId } from '@ghasi/domain-primitives/ids';
import { safeReason } from '@ghasi/domain-primitives/safe-reason';
import type { DataResidency } from '@ghasi/event-envelope/metadata';
import { GiveUp, RetryLater } from '@ghasi/jobs/outcome';
import type { Logger } from '@ghasi/telemetry/logger';
import type { Metrics } from '@ghasi/telemetry/metrics';
import { Applier, LostElsewhere, TookTooLong } from './applier.ts';
import { type BreakerPolicy, CircuitBreaker, type Rest } from './circuit-breaker.ts';
import type { Service } from './define-service.ts';
import { createInbox, type Inbox } from './inbox.ts';
import { type ConsumedCounter, countConsumed } from './observe-consumed.ts';
import type { ServiceOutbox } from './outbox.ts';
import { createReader, isReadable, type Readable, type Reader, type Unreadable } from './read-delivery.ts';
import type { Registry } from './registry.ts';
import type { Signer } from './signature.ts';

/** What consuming needs. `outbox` takes the events that reactions cause. */
export type ConsumerOptions = {
  readonly service: Pick<Service, 'name' | 'schema' | 'reacts' | 'delivery'>;
  readonly db: Database;
  readonly outbox: ServiceOutbox;
  readonly registry: Registry;
  readonly signer: Signer;
  /** Whose events this deployment takes. Default: of every region. */
  readonly dataResidency?: DataResidency | undefined;
  readonly log?: Logger | undefined;
  readonly metrics?: Metrics | undefined;
  readonly breaker?: BreakerPolicy;
  /** How long one message may take. Default 8 s. */
  readonly handlerMs?: number;
};

/** Characters of what a reaction threw that are kept. */
const MOST_OF_A_REASON = 2_000;
const EXTRA_TRIES = 2;
const AT_ONCE = 16;
const GATHER_MS = 250; // for projections and the audit trail: a quarter of a second later, a tenth of the transactions
const UNREACHABLE_PAUSE_MS = 1_000;
const FENCED = 'MB001';

/** A service as a subscriber: claims each message in its inbox, runs the reaction and appends what it caused, at once. */
export function createSubscriber(options: ConsumerOptions): Subscriber {
  const { service } = options;
  const consumer = new Consumer(options);
  return {
    name: service.name,
    topics: consumer.topics,
    concurrency: service.delivery.concurrency,
    order: service.delivery.order,
    gatherMs: service.delivery.mode === 'pull' ? GATHER_MS : 0,
    handle: (batch, fence) => consumer.handle(batch, fence),
  };
}

class Consumer {
  readonly #options: ConsumerOptions;
  readonly #inbox: Inbox;
  readonly #applier: Applier;
  readonly #reader: Reader;
  readonly #breaker: CircuitBreaker;
  readonly #count: ConsumedCounter;
  #isAway = false;

  constructor(options: ConsumerOptions) {
    this.#options = options;
    this.#inbox = createInbox(options.service.schema);
    this.#applier = new Applier({ ...options, inbox: this.#inbox, actor: this.#actor });
    this.#reader = createReader(options.service.name, options.service.reacts, options);
    this.#breaker = new CircuitBreaker(options.breaker);
    this.#count = countConsumed(options.metrics, { service: options.service.name, topics: this.topics });
  }

  get topics(): readonly string[] {
    return this.#reader.topics;
  }

  async handle(batch: readonly Delivery[], fence: Fence | undefined): Promise<Outcome[]> {
    const reads = await this.#markSettled(await this.#read(batch));
    const open = this.#behindNoUnreadable(reads);
    const settled = await this.#settle(open, fence);
    const outcomes = new Map(open.map((read, place) => [read.delivery, settled[place] as Outcome]));
    const held = new Map<string, Outcome>();
    return reads.map(read => {
      const { delivery } = read;
      if (!isReadable(read) && read.stray) return this.#refused(read);
      const known = held.get(delivery.orderingKey);
      if (known !== undefined) return known;
      const outcome = isReadable(read) ? (outcomes.get(delivery) as Outcome) : this.#refused(read);
      if (this.#isOrdered && outcome.kind !== 'done') held.set(delivery.orderingKey, forLaterOnes(outcome));
      return outcome;
    });
  }

  /** Those that can be read and, where order matters, stand behind none of their key that cannot: it parks the key (ORD-02). */
  #behindNoUnreadable(reads: readonly (Readable | Unreadable)[]): Readable[] {
    const parked = new Set<string>();
    return reads.filter((read): read is Readable => {
      const { orderingKey } = read.delivery;
      if (isReadable(read)) return !parked.has(orderingKey);
      if (this.#isOrdered && !read.stray && read.isSettled !== true) parked.add(orderingKey);
      return false;
    });
  }

  /** A schema that nobody knows yet may be known when it is tried again; the rest can never be handled. */
  #refused({ delivery, reason, stray, drift, isSettled }: Unreadable): Outcome {
    if (isSettled === true) {
      this.#count.settled([delivery], ['seen'], 0);
      return { kind: 'done' };
    }
    this.#count.failed(delivery);
    return drift === true ? { kind: 'retry', error: reason } : { kind: 'dead', error: reason, stray };
  }

  /** A schema we do not know may be one of a producer that was deployed before us (REG-04). */
  async #read(batch: readonly Delivery[]): Promise<(Readable | Unreadable)[]> {
    const reads = await this.#readAll(batch);
    if (!reads.some(read => !isReadable(read) && read.drift)) return reads;
    const { registry, log } = this.#options;
    await registry
      .refresh()
      .catch(error => log?.warn({ err: error }, 'the released schemas could not be read again'));
    return this.#readAll(batch);
  }

  /** What cannot be read is not claimed, so nothing but a look at the inbox says that somebody took it out for good (DLQ-16). */
  async #markSettled(reads: readonly (Readable | Unreadable)[]): Promise<readonly (Readable | Unreadable)[]> {
    const refused = reads.flatMap(read =>
      isReadable(read) || read.stray || read.consumer === undefined
        ? []
        : { consumer: read.consumer, eventId: read.delivery.eventId },
    );
    if (refused.length === 0) return reads;
    const who = { tenantId: reads[0]?.delivery.tenantId as TenantId, actor: this.#actor };
    const settled = await this.#inbox.dealtWith(this.#options.db, who, refused);
    return reads.map(read =>
      isReadable(read) || read.stray ? read : { ...read, isSettled: settled.has(read.delivery.eventId) },
    );
  }

  /** A few at a time: checking a hundred signatures at once would hold up every other tenant for 10 ms (measured). */
  async #readAll(batch: readonly Delivery[]): Promise<(Readable | Unreadable)[]> {
    const reads: (Readable | Unreadable)[] = [];
    for (const delivery of batch) {
      if (reads.length % AT_ONCE === AT_ONCE - 1) await setImmediate();
      reads.push(this.#reader.read(delivery));
    }
    return reads;
  }

  /**
   * Many messages in one transaction; when that fails, one half of them and then the other, down to the message that is to
   * blame; one by one at once if they took too long, so that nobody waits for that again and again. What comes after a
   * failure of its key is not tried, where order matters.
   */
  async #settle(
    reads: readonly Readable[],
    fence: Fence | undefined,
    failedKeys = new Set<string>(),
  ): Promise<Outcome[]> {
    const tenantId = reads[0]?.delivery.tenantId ?? ''; // a batch has one tenant
    const rest = this.#breaker.restOf(tenantId);
    if (rest !== undefined) return reads.map(() => paused('too much fails', rest));
    const isOpen = ({ delivery }: Readable) => !failedKeys.has(delivery.orderingKey);
    const open = reads.filter(isOpen);
    if (open.length === 0) return reads.map(() => ({ kind: 'blocked' }));
    if (reads.length === 1) return [await this.#one(reads[0] as Readable, fence, failedKeys)];
    let piece = Math.ceil(reads.length / 2);
    if (!this.#breaker.isTesting(tenantId)) {
      try {
        await this.#apply(open, fence);
        this.#breaker.succeeded(tenantId);
        return reads.map(read => ({ kind: isOpen(read) ? 'done' : 'blocked' }));
      } catch (error) {
        const outcome = this.#notOurs(error);
        if (outcome !== undefined) return reads.map(() => outcome);
        if (error instanceof TookTooLong) piece = 1;
      }
    }
    const outcomes: Outcome[] = [];
    for (let from = 0; from < reads.length; from += piece) {
      const last = outcomes.at(-1);
      if (last?.kind === 'pause' || last?.kind === 'fenced')
        outcomes.push(...reads.slice(from, from + piece).map(() => last));
      else outcomes.push(...(await this.#settle(reads.slice(from, from + piece), fence, failedKeys)));
    }
    return outcomes;
  }

  async #one(read: Readable, fence: Fence | undefined, failedKeys: Set<string>): Promise<Outcome> {
    for (let tries = 0; ; tries++) {
      try {
        await this.#apply([read], fence);
        this.#breaker.succeeded(read.delivery.tenantId);
        return { kind: 'done' };
      } catch (caught) {
        const outcome = this.#notOurs(caught);
        if (outcome !== undefined) return outcome;
        const error = caught instanceof LostElsewhere ? caught.cause : caught;
        const decided = error instanceof GiveUp || error instanceof RetryLater;
        if (!decided && tries < EXTRA_TRIES) continue; // most failures are a deadlock or a conflict, gone the next time
        if (this.#isOrdered) failedKeys.add(read.delivery.orderingKey);
        return this.#failed(read, error);
      }
    }
  }

  /** Counts a failure. `GiveUp` ends at once, `RetryLater` names its own time, anything else follows the policy. */
  async #failed(read: Readable, error: unknown): Promise<Outcome> {
    const reason = safeReason(error, MOST_OF_A_REASON);
    this.#count.failed(read.delivery);
    const { db, service, log } = this.#options;
    log?.debug(
      { err: error, eventId: read.claim.eventId, consumer: read.claim.consumer },
      'a reaction failed',
    );
    if (!(error instanceof GiveUp || error instanceof RetryLater)) {
      const counts = this.#breaker.failed(read.delivery);
      const rest = this.#breaker.restOf(read.delivery.tenantId);
      if (rest !== undefined) {
        log?.warn({ subscription: service.name, ...rest, reason }, whatPauses(rest));
        this.#count.paused(rest.tenantId === undefined ? 'several_tenants' : 'tenant');
      }
      if (!counts && rest !== undefined) return paused(reason, rest);
    }
    const who = { tenantId: read.delivery.tenantId as TenantId, actor: this.#actor };
    await this.#inbox.recordFailure(db, who, read.claim, reason);
    if (error instanceof GiveUp) return { kind: 'dead', error: reason };
    if (error instanceof RetryLater) return { kind: 'retry', error: reason, afterMs: error.afterMs };
    return { kind: 'retry', error: reason };
  }

  /** Failures that say nothing about a message: the shard is somebody else's, or the database is away. */
  #notOurs(error: unknown): Outcome | undefined {
    if (error instanceof LostElsewhere) return undefined;
    if (sqlState(error) === FENCED) return { kind: 'fenced' };
    if (!isConnectionLoss(error)) return undefined;
    this.#count.paused('database');
    const { log, service } = this.#options;
    if (!this.#isAway)
      log?.warn({ err: error, subscription: service.name }, 'the database is away; the subscription waits');
    this.#isAway = true; // once is enough, until it is back
    return paused('the database is away', { forMs: UNREACHABLE_PAUSE_MS });
  }

  get #isOrdered(): boolean {
    return this.#options.service.delivery.order === 'required';
  }

  get #actor() {
    return { type: 'service', id: this.#options.service.name } as const;
  }

  async #apply(reads: readonly Readable[], fence: Fence | undefined): Promise<void> {
    const started = performance.now();
    const results = await this.#applier.apply({ reads, fence });
    this.#isAway = false;
    const seconds = (performance.now() - started) / 1000;
    this.#count.settled(
      reads.map(({ delivery }) => delivery),
      results,
      seconds,
    );
  }
}

/** What becomes of later messages of a key: they wait behind one that parks it, or stay where they are as it does. */
function forLaterOnes(outcome: Outcome): Outcome {
  return outcome.kind === 'pause' || outcome.kind === 'fenced' ? outcome : { kind: 'blocked' };
}

const paused = (error: string, rest: Rest): Outcome => ({ kind: 'pause', error, ...rest });

const whatPauses = ({ tenantId }: Rest) =>
  tenantId === undefined
    ? 'nothing works; the subscription pauses'
    : 'nothing of a tenant works; it pauses in the subscription';
