import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '@ghasi/db/database';
import { failpoint } from '@ghasi/domain-primitives/failpoint';
import type { Logger } from '@ghasi/telemetry/logger';
import type { Delivery, Outcome, RetryPolicy, Subscriber } from '../../broker.ts';
import { type Batch, Lanes } from '../../lanes.ts';
import { FLOOD_REST_MS, Gathering, Pace } from '../../pace.ts';
import { Pauses } from '../../pauses.ts';
import { type Held, moveCursors } from './leases.ts';
import type { LogRow, Page, Position } from './log-reader.ts';
import { Fenced } from './parked.ts';
import { failureOf, Parking } from './parking.ts';

/** A tenant whose messages are to be read from `after` on, in small pages where it is `shared`; only for the lanes that asked. */
export type Hungry = { tenantId: string; after: number; lanes: unknown; shared: boolean };

// A backlog of one consumer went at 34,500/s in batches of 100, at 39,500/s in 250, at 41,500/s in these.
const MAX_BATCH = 500;
const MOST_HELD = 4_000;
const MOST_WEIGHT = 64 * 1_048_576; // an event may have 256 KB, and a few thousand of those do not fit into memory
const MOST_OF_A_TENANT = { mostPerTenant: 2_000, mostWeightPerTenant: MOST_WEIGHT / 2 };
const PAUSE_AFTER_ERROR_MS = 1_000;

/** What a group needs from the broker it belongs to. */
export type GroupOptions = {
  readonly db: Database;
  readonly subscriber: Subscriber;
  readonly retry: RetryPolicy;
  readonly log: Logger | undefined;
  /** There may be room again: for anything (`wasFull`), or for tenants whose messages had to stay in the log. */
  onRoom(wasFull: boolean): void;
  onDead(topic: string): void;
  /** A parked key was tried: others may be waiting for their turn, and it itself if more of it is due (`isDue`). */
  onRetried(isDue: boolean): void;
  /** A shard is somebody else's by now: ask who holds what. */
  onFenced?(): void;
};

/**
 * One service's share of the log in this process. It keeps what was read in lanes, hands batches to the service, parks
 * keys that fail, and knows up to where everything is done. A crash loses nothing: whatever is above the cursor is
 * delivered again, and the inbox makes that harmless.
 */
export class Group {
  readonly subscriber: Subscriber;
  readonly pauses: Pauses;
  readonly #options: GroupOptions;
  readonly #topics: ReadonlySet<string>;
  readonly #parking: Parking;
  #lanes: Lanes<LogRow>;
  #held = new Map<number, Held>();
  #scan: Position = { off: 0, day: '1970-01-01' };
  /** Days of what was read, so that the cursor knows its partition: [first offset, day], oldest first. */
  #days: [number, string][] = [];
  #flushed = -1;
  #handledSinceFlush = false;
  #running = new Set<Promise<void>>();
  #full = false;
  readonly #pace: Pace;
  readonly #gathering: Gathering;
  #stopped = false;

  constructor(options: GroupOptions) {
    this.#options = options;
    this.subscriber = options.subscriber;
    this.#topics = new Set(options.subscriber.topics);
    this.pauses = new Pauses(() => {
      this.dispatch();
      options.onRoom(this.#full);
    });
    this.#lanes = this.#freshLanes();
    const { gatherMs = 0 } = options.subscriber;
    [this.#gathering, this.#pace] = [new Gathering(gatherMs), new Pace({ gathers: gatherMs > 0 })];
    this.#parking = new Parking({
      db: options.db,
      subscription: options.subscriber.name,
      order: options.subscriber.order,
      retry: options.retry,
      log: options.log,
      epochOf: shard => this.#held.get(shard)?.epoch ?? -1,
      handle: async delivery => (await this.#handle([delivery]))[0],
      onDead: options.onDead,
    });
  }

  get name(): string {
    return this.subscriber.name;
  }

  get position(): Position {
    return this.#scan;
  }

  /** The shards in this process's hands. */
  get shards(): number[] {
    return [...this.#held.keys()];
  }

  /** Everything up to here is done or parked. */
  get low(): number {
    return this.#lanes.lowWater(this.#scan.off);
  }

  /** True if it has shards and room to read more. */
  get wantsMore(): boolean {
    if (this.#stopped || this.#held.size === 0) return false;
    this.#full = this.#lanes.held >= MOST_HELD || this.#lanes.weight >= MOST_WEIGHT;
    return !this.#full;
  }

  hungry(): Hungry[] {
    if (this.#stopped || this.#lanes.weight >= MOST_WEIGHT) return [];
    const [lanes, shared] = [this.#lanes, this.#pace.isShared];
    return lanes.hungry({ shared }).map(one => ({ ...one, lanes, shared }));
  }

  /** Tenants whose messages need not be read with the others. */
  spilled(): string[] {
    return this.#lanes.spilled();
  }

  /** True if the same shards with the same epochs are held already. */
  holdsExactly(held: readonly Held[]): boolean {
    return (
      held.length === this.#held.size &&
      held.every(({ shard, epoch }) => this.#held.get(shard)?.epoch === epoch)
    );
  }

  /** Takes new shards or loses some: starts again from the cursors. */
  async reset(held: readonly Held[]): Promise<void> {
    this.#held = new Map();
    this.#lanes = this.#freshLanes();
    await Promise.allSettled(this.#running);
    await this.#parking.load(held.map(({ shard }) => shard));
    const [first] = held.toSorted((a, b) => a.off - b.off);
    if (first !== undefined) this.#scan = { off: first.off, day: first.day };
    [this.#days, this.#flushed] = [[[this.#scan.off, this.#scan.day]], this.#scan.off];
    this.#held = new Map(held.map(one => [one.shard, one]));
  }

  /** Takes a page that was read from this group's position. */
  accept({ rows, from, upTo, without }: Page): void {
    if (this.#held.size === 0) return; // between two sets of shards: the next may begin below where this one stood
    // Refilled while the page was on its way: what it left out of them is still to be read.
    for (const tenantId of without) this.#lanes.spill(tenantId, from.off + 1);
    for (const row of rows) if (this.#isFor(row)) this.#lanes.add(row);
    this.#scan = { off: upTo.off, day: upTo.day };
    if (this.#days.at(-1)?.[1] !== upTo.day) this.#days.push([upTo.off, upTo.day]);
  }

  /** Takes what was read of a tenant that had no room before. */
  refill(hungry: Hungry, page: readonly LogRow[], upTo: number): void {
    // Started again from its cursors meanwhile: these would overtake what is read anew, and hide what is below them.
    if (hungry.lanes !== this.#lanes) return;
    const items = page.filter(row => this.#isFor(row));
    this.#lanes.refill(hungry, items, { upTo, scanned: this.#scan.off });
  }

  /** Starts every batch that may run now. */
  dispatch(): void {
    if (this.#stopped || this.#held.size === 0 || this.pauses.ofAll) return;
    if (this.#lanes.held < MAX_BATCH && this.#gathering.holdsBack(() => this.dispatch())) return;
    const take = () => this.#lanes.take(this.#pace.limits);
    for (let batch = take(); batch !== undefined; batch = take()) {
      this.#pace.begins(batch.tenantId);
      this.#track(this.#run(this.#lanes, batch));
    }
  }

  /** Tries a parked key again, in the background; at most as many at once as the subscriber allows batches. False: not now. */
  retry(key: { parkKey: string; tenantId: string; shard: number }): boolean {
    if (!this.#held.has(key.shard) || this.#stopped || this.pauses.hold(key.tenantId)) return false;
    if (this.#parking.isRetrying(key) || this.#parking.retries >= this.subscriber.concurrency) return false;
    const retried = this.#parking.retry(key);
    this.#track(retried.then(isDue => this.#options.onRetried(isDue)));
    void retried.catch(() => this.#options.onRetried(false));
    return true;
  }

  /** Writes down how far it came. A cursor that lags costs a few deduplicated deliveries after a crash, nothing else. */
  async flush(force = false): Promise<void> {
    const low = this.low;
    if (low <= this.#flushed || (!force && !this.#handledSinceFlush)) return;
    if (this.#held.size === 0) return; // between two sets of shards
    const [lanes, flushed] = [this.#lanes, this.#flushed];
    const held = [...this.#held.values()].map(one => ({ ...one, off: Math.max(one.off, flushed) }));
    this.#handledSinceFlush = false;
    await failpoint('broker.before-ack');
    await moveCursors(this.#options.db, this.name, held, { off: low, day: this.#dayOf(low) });
    if (lanes === this.#lanes) this.#flushed = low; // other shards by now: they are behind
    await failpoint('broker.after-ack');
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#gathering.stop();
    await Promise.allSettled(this.#running);
    await this.flush(true);
  }

  #freshLanes(): Lanes<LogRow> {
    const { concurrency, maxBatch = MAX_BATCH } = this.subscriber;
    const isPaused = (tenantId: string) => this.pauses.of(tenantId);
    return new Lanes<LogRow>({ concurrency, maxBatch, isPaused, ...MOST_OF_A_TENANT });
  }

  #isFor(row: LogRow): boolean {
    const held = this.#held.get(row.shard);
    if (held === undefined || row.off <= held.off || !this.#topics.has(row.topic)) return false;
    return (row.attributes.replayTarget ?? this.name) === this.name;
  }

  #track(work: Promise<void>): void {
    const guarded = work.catch(error => {
      if (error instanceof Fenced) return this.#fenced();
      const { log, subscriber } = this.#options;
      log?.error({ err: error, subscription: subscriber.name }, 'messages could not be settled; they stay');
    });
    this.#running.add(guarded);
    void guarded.finally(() => this.#running.delete(guarded));
  }

  async #run(lanes: Lanes<LogRow>, batch: Batch<LogRow>): Promise<void> {
    const { items } = batch;
    let firstKept = 0; // whatever goes wrong below, nothing is lost: the batch stays where it is
    try {
      const { flowing = [], behind = [] } = Object.groupBy(items, item =>
        this.#parking.has(item) ? 'behind' : 'flowing',
      );
      const began = performance.now();
      const outcomes = await this.#handle(flowing);
      this.#pace.took(performance.now() - began, items.length);
      const kept: LogRow[] = [];
      for (const [index, item] of flowing.entries()) {
        if (outcomes[index]?.kind === 'blocked') behind.push(item);
        else if (!(await this.#settle(item, outcomes[index]))) kept.push(item);
      }
      // Between two sets of shards nothing may be parked, and it comes again.
      kept.push(...(this.#held.size === 0 ? behind : await this.#parking.allBehind(behind)));
      firstKept = Math.min(items.length, ...kept.map(item => items.indexOf(item)));
      this.#handledSinceFlush = true;
      if (batch.isFlood) await delay(FLOOD_REST_MS);
    } catch (error) {
      firstKept = 0;
      this.pauses.begin({ forMs: PAUSE_AFTER_ERROR_MS });
      throw error;
    } finally {
      lanes.finish(batch, items.length - firstKept);
      if (lanes === this.#lanes) this.dispatch();
      this.#options.onRoom(this.#full);
    }
  }

  async #handle(deliveries: readonly (Delivery & { shard: number })[]): Promise<readonly Outcome[]> {
    const [first] = deliveries;
    if (first === undefined) return [];
    const shards = [...new Set(deliveries.map(({ shard }) => shard))];
    const epochs = shards.map(shard => this.#held.get(shard)?.epoch ?? -1);
    await failpoint('broker.before-handle');
    const outcomes = await this.subscriber.handle(deliveries, { subscription: this.name, shards, epochs });
    await failpoint('broker.after-handle');
    for (const outcome of outcomes) if (outcome.kind === 'pause') this.pauses.begin(outcome);
    this.#lanes.setAside(first.tenantId);
    if (outcomes.some(({ kind }) => kind === 'fenced')) this.#fenced();
    return outcomes;
  }

  /** True when the message is off our hands: done, or parked. */
  async #settle(item: LogRow, outcome: Outcome | undefined): Promise<boolean> {
    switch (outcome?.kind) {
      case 'done':
        return true;
      case 'fenced':
      case 'pause':
        return false;
      case 'retry':
      case 'dead':
        await this.#parking.failed(item, failureOf(outcome));
        return true;
      default:
        throw new Error(`the handler of ${this.name} gave no outcome for ${item.eventId}`);
    }
  }

  /** Nothing is handled until the broker has asked again who holds what. */
  #fenced(): void {
    this.#held = new Map();
    this.#options.onFenced?.();
  }

  #dayOf(off: number): string {
    while (this.#days.length > 1 && (this.#days[1]?.[0] ?? 0) <= off) this.#days.shift();
    return this.#days[0]?.[1] ?? this.#scan.day;
  }
}
