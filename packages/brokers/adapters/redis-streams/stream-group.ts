import type { Database } from '@ghasi/db/database';
import type { Logger } from '@ghasi/telemetry/logger';
import type { RetryPolicy, Subscriber } from '../../broker.ts';
import { type Batch, Lanes } from '../../lanes.ts';
import { Gathering, Pace } from '../../pace.ts';
import { Fenced } from '../postgres/parked.ts';
import { KeyFreed } from '../postgres/parking.ts';
import { Acknowledgements } from './acknowledgements.ts';
import { Courier } from './courier.ts';
import { deadLetterFields, unreadableFields } from './dead-letter-record.ts';
import { Progress } from './progress.ts';
import { fromEntry, type StreamMessage } from './stream-entry.ts';
import { type Entry, type HeldShard, type Look, type Reader, ShardLost, type Streams } from './streams.ts';

/** A message in memory; of a long queue only the number is kept, and the rest is fetched when its turn comes. */
type Item = {
  readonly tenantId: string;
  readonly off: number;
  readonly shard: number;
  readonly message: StreamMessage | undefined;
};

const MAX_BATCH = 256;
const MOST_PER_LOOK = 256;
const MOST_HELD = 50_000;
const MOST_WHOLE = 4_000;
const PAUSE_AFTER_ERROR_MS = 1_000;

/** What a group needs from the broker it belongs to. */
export type StreamGroupOptions = {
  readonly streams: Streams;
  readonly db: Database;
  readonly member: string;
  readonly subscriber: Subscriber;
  readonly retry: RetryPolicy;
  readonly log: Logger | undefined;
  /** Room became free, or something ended: look whether there is more to do. */
  onRoom(): void;
  /** A parked key was tried again. */
  onRetried(): void;
  /** A shard is somebody else's by now: ask who holds what. */
  onFenced(): void;
  onDead(topic: string): void;
};

/**
 * One service's share of the streams in this process. Whatever it was given and did not acknowledge is given again after
 * a crash, to whoever takes the shard over, and the inbox makes that harmless.
 */
export class StreamGroup {
  readonly subscriber: Subscriber;
  readonly #options: StreamGroupOptions;
  readonly #reader: Reader;
  readonly #topics: ReadonlySet<string>;
  readonly #courier: Courier;
  readonly #acks: Acknowledgements;
  readonly #running = new Set<Promise<void>>();
  #lanes: Lanes<Item>;
  #progress = new Progress();
  /** How many messages are kept whole. */
  #whole = 0;
  #held = new Map<number, HeldShard>();
  /** Reading and changing hands happen one after the other: what is read under an old number must not be missed. */
  #turn: Promise<unknown> = Promise.resolve();
  /** Server time of the last look after which nothing was left, in microseconds. */
  #emptyAt: number | undefined;
  #pausedUntil = 0;
  readonly #gathering: Gathering;
  readonly #pace: Pace;
  #stopped = false;

  constructor(options: StreamGroupOptions) {
    const { subscriber, streams, log } = options;
    this.#options = options;
    this.subscriber = subscriber;
    this.#reader = { group: subscriber.name, consumer: options.member };
    this.#topics = new Set(subscriber.topics);
    this.#acks = new Acknowledgements(streams, subscriber.name, log);
    this.#lanes = this.#freshLanes();
    const { gatherMs = 0 } = subscriber;
    [this.#gathering, this.#pace] = [new Gathering(gatherMs), new Pace({ gathers: gatherMs > 0 })];
    this.#courier = new Courier({
      ...options,
      epochOf: shard => this.#held.get(shard)?.epoch ?? -1,
      onPause: ms => this.#pause(ms),
      recordDeadLetter: (message, failure) =>
        streams.addDeadLetter(message.topic, deadLetterFields(message, subscriber.name, failure)),
    });
  }

  get name(): string {
    return this.subscriber.name;
  }

  get held(): readonly HeldShard[] {
    return [...this.#held.values()];
  }

  /** True while nothing may be tried. */
  get isPaused(): boolean {
    return performance.now() < this.#pausedUntil;
  }

  /** True while no more parked keys may be tried at once. */
  get retriesAreFull(): boolean {
    return this.#courier.parking.retries >= this.subscriber.concurrency;
  }

  get wantsMore(): boolean {
    return !this.#stopped && this.#held.size > 0 && this.#lanes.held < MOST_HELD;
  }

  /** Everything published before this moment is done or parked, in microseconds of the server; unknown at first. */
  get doneUntil(): number | undefined {
    if (this.#emptyAt === undefined) return undefined;
    return Math.min(this.#emptyAt, this.#progress.oldest ?? Number.POSITIVE_INFINITY);
  }

  holdsExactly(held: readonly HeldShard[]): boolean {
    return (
      held.length === this.#held.size &&
      held.every(({ shard, epoch }) => this.#held.get(shard)?.epoch === epoch)
    );
  }

  /** Takes new shards or loses some: waits for what runs, then starts from what is not acknowledged. */
  reset(held: readonly HeldShard[]): Promise<void> {
    return this.#inTurn(async () => {
      this.#held = new Map();
      await Promise.allSettled(this.#running);
      await this.#acks.flush();
      this.#lanes = this.#freshLanes();
      this.#emptyAt = undefined;
      await this.#courier.parking.load(held.map(({ shard }) => shard));
      const pending: Entry[] = [];
      for (const one of held) pending.push(...(await this.#options.streams.takeOver(this.#reader, one)));
      this.#held = new Map(held.map(one => [one.shard, one]));
      this.#accept(pending);
    });
  }

  /** Looks for new messages; true when there may be more. */
  read(): Promise<boolean> {
    return this.#inTurn(async () => {
      if (!this.wantsMore) return false;
      const look = await this.#look();
      if (look === undefined) return false;
      this.#accept(look.entries);
      if (look.isAll) this.#emptyAt = look.at;
      this.dispatch();
      return look.isMore;
    });
  }

  /**
   * Undefined when a shard is somebody else's. Whatever went wrong, Redis may have given us messages that are not here:
   * the answer was lost, or a stream that came first was read. They would be missing, and later ones of their keys come
   * before them; so the group begins again with what it has not acknowledged.
   */
  async #look(): Promise<Look | undefined> {
    try {
      return await this.#options.streams.read(this.#reader, this.held, MOST_PER_LOOK);
    } catch (error) {
      this.#fenced();
      if (error instanceof ShardLost) return undefined;
      throw error;
    }
  }

  /** Starts every batch that may run now. */
  dispatch(): void {
    if (this.#stopped || this.#held.size === 0 || this.isPaused) return;
    if (this.#lanes.held < MAX_BATCH && this.#gathering.holdsBack(() => this.dispatch())) return;
    const take = () => this.#lanes.take({ most: this.#pace.most });
    for (let batch = take(); batch !== undefined; batch = take()) this.#track(this.#run(batch));
  }

  /** Tries a parked key again, in the background; at most as many at once as the subscriber allows batches. */
  retry(key: { parkKey: string; tenantId: string; shard: number }): void {
    const { parking } = this.#courier;
    if (!this.#held.has(key.shard) || this.#stopped || this.isPaused) return;
    if (parking.isRetrying(key) || parking.retries >= this.subscriber.concurrency) return;
    this.#track(parking.retry(key).finally(() => this.#options.onRetried()));
  }

  /** Sends the acknowledgements that wait. */
  flush(): Promise<void> {
    return this.#acks.flush();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#gathering.stop();
    await Promise.allSettled(this.#running);
    await this.flush();
  }

  #freshLanes(): Lanes<Item> {
    const { concurrency, maxBatch = MAX_BATCH } = this.subscriber;
    this.#whole = 0;
    this.#progress = new Progress();
    return new Lanes<Item>({ concurrency, maxBatch, mostPerTenant: Number.POSITIVE_INFINITY });
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#turn.then(work);
    this.#turn = turn.catch(() => {});
    return turn;
  }

  #accept(entries: readonly Entry[]): void {
    for (const { shard, raw } of entries) {
      const message = fromEntry(raw, shard);
      if (message === undefined) this.#unreadable({ shard, raw });
      else if (!this.#isFor(message)) this.#acks.add(shard, [raw[0]]);
      else {
        const isWhole = this.#whole < MOST_WHOLE;
        if (isWhole) this.#whole++;
        const { tenantId, off } = message;
        this.#progress.begin(shard, off);
        this.#lanes.add({ tenantId, off, shard, message: isWhole ? message : undefined });
      }
    }
  }

  #isFor({ topic, attributes }: StreamMessage): boolean {
    const target = attributes.replayTarget;
    return this.#topics.has(topic) && (target === undefined || target === this.name);
  }

  /** Somebody wrote to the stream by hand. Nobody can handle it, and it must not be lost without a word. */
  #unreadable({ shard, raw }: Entry): void {
    const { log, streams } = this.#options;
    log?.error(
      { subscription: this.name, shard, id: raw[0] },
      'an entry of a stream is not a message of ours',
    );
    const kept = streams.addDeadLetter('unreadable', unreadableFields(raw, this.name));
    this.#track(kept.then(() => this.#acks.add(shard, [raw[0]])));
  }

  #track(work: Promise<void>): void {
    const guarded = work.catch(error => {
      if (error instanceof Fenced) return this.#fenced();
      this.#options.log?.error(
        { err: error, subscription: this.name },
        'messages could not be settled; they stay',
      );
    });
    this.#running.add(guarded);
    void guarded.finally(() => {
      this.#running.delete(guarded);
      this.dispatch();
      this.#options.onRoom();
    });
  }

  async #run(batch: Batch<Item>): Promise<void> {
    const { items } = batch;
    let settled = 0; // whatever goes wrong below, nothing is lost: the batch stays where it is
    try {
      const messages = await this.#wholeOf(items);
      const began = performance.now();
      settled = await this.#courier.bring(messages);
      this.#pace.took(performance.now() - began, messages.length);
    } catch (error) {
      if (error instanceof KeyFreed) return;
      if (!(error instanceof Fenced)) this.#pause(PAUSE_AFTER_ERROR_MS);
      throw error;
    } finally {
      for (const { shard, off, message } of items.slice(0, settled)) {
        if (message !== undefined) this.#whole--;
        this.#progress.finish(shard, off);
        this.#acks.add(shard, [`${off}-0`]);
      }
      this.#lanes.finish(batch, items.length - settled);
      void this.flush();
    }
  }

  async #wholeOf(items: readonly Item[]): Promise<(StreamMessage | undefined)[]> {
    const numbers = items.filter(({ message }) => message === undefined);
    const fetched = await this.#options.streams.fetch(numbers);
    return items.map(({ message }) => message ?? fetched.shift());
  }

  /** Nothing is handled or read until the broker has asked again who holds what. */
  #fenced(): void {
    this.#held = new Map();
    this.#options.onFenced();
  }

  /** Not the message's fault: the whole subscription waits, and no attempt is counted. */
  #pause(forMs: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, performance.now() + forMs);
    setTimeout(() => this.#options.onRoom(), forMs + 1).unref();
  }
}
