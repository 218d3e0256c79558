import type { Database } from '@ghasi/db/database';
import type { Logger } from '@ghasi/telemetry/logger';
import type { RetryPolicy, Subscriber } from '../../broker.ts';
import { type Batch, Lanes } from '../../lanes.ts';
import { Gathering, Pace } from '../../pace.ts';
import { Pauses } from '../../pauses.ts';
import { Fenced } from '../postgres/parked.ts';
import { KeyFreed } from '../postgres/parking.ts';
import { Acknowledgements } from './acknowledgements.ts';
import { Courier } from './courier.ts';
import { deadLetterFields, unreadableFields } from './dead-letter-record.ts';
import { Progress } from './progress.ts';
import { fromEntry, type StreamMessage } from './stream-entry.ts';
import { firstOf, messagesOf, type StreamItem, Wholes } from './stream-item.ts';
import { type Entry, type HeldShard, type Look, type Reader, ShardLost, type Streams } from './streams.ts';

const MAX_BATCH = 256;
const MOST_PER_LOOK = 256;
const MOST_HELD = 50_000;
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
  /** A parked key was tried again; `isDue`: its next message is due now. */
  onRetried(isDue: boolean): void;
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
  readonly pauses: Pauses;
  readonly #options: StreamGroupOptions;
  readonly #reader: Reader;
  readonly #topics: ReadonlySet<string>;
  readonly #courier: Courier;
  readonly #acks: Acknowledgements;
  readonly #running = new Set<Promise<void>>();
  #lanes: Lanes<StreamItem>;
  #progress = new Progress();
  #wholes = new Wholes();
  #held = new Map<number, HeldShard>();
  #looks = 0;
  /** Reading and changing hands happen one after the other: what is read under an old number must not be missed. */
  #turn: Promise<unknown> = Promise.resolve();
  /** Server time of the last look after which nothing was left, in microseconds. */
  #emptyAt: number | undefined;
  readonly #gathering: Gathering;
  readonly #pace: Pace;
  #stopped = false;

  constructor(options: StreamGroupOptions) {
    const { subscriber, streams, log } = options;
    this.#options = options;
    this.subscriber = subscriber;
    this.pauses = new Pauses(() => options.onRoom());
    this.#reader = { group: subscriber.name, consumer: options.member };
    this.#topics = new Set(subscriber.topics);
    this.#acks = new Acknowledgements(streams, subscriber.name, log);
    this.#lanes = this.#freshLanes();
    const { gatherMs = 0 } = subscriber;
    [this.#gathering, this.#pace] = [new Gathering(gatherMs), new Pace({ gathers: gatherMs > 0 })];
    this.#courier = new Courier({
      ...options,
      epochOf: shard => this.#held.get(shard)?.epoch ?? -1,
      onPause: pause => this.pauses.begin(pause),
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
    this.#held = new Map();
    return this.#inTurn(async () => {
      await Promise.allSettled(this.#running);
      await this.#acks.flush();
      this.#lanes = this.#freshLanes();
      this.#emptyAt = undefined;
      await this.#courier.parking.load(held.map(({ shard }) => shard));
      for (const one of held)
        for await (const page of this.#options.streams.takeOver(this.#reader, one)) this.#accept(page);
      this.#held = new Map(held.map(one => [one.shard, one]));
    });
  }

  /**
   * Looks for new messages; true when there may be more. At once where it has no shards: whoever looks for all groups must not
   * wait until this one has ended what it runs.
   */
  async read(): Promise<boolean> {
    if (!this.wantsMore) return false;
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
      const { held } = this;
      const first = this.#looks++ % held.length; // large messages of one shard leave no room for those that come after it
      const inTurn = [...held.slice(first), ...held.slice(0, first)];
      return await this.#options.streams.read(this.#reader, inTurn, MOST_PER_LOOK);
    } catch (error) {
      this.#fenced();
      if (error instanceof ShardLost) return undefined;
      throw error;
    }
  }

  /** Starts every batch that may run now. */
  dispatch(): void {
    if (this.#stopped || this.#held.size === 0 || this.pauses.ofAll) return;
    if (this.#lanes.held < MAX_BATCH && this.#gathering.holdsBack(() => this.dispatch())) return;
    const take = () => this.#lanes.take({ most: this.#pace.most });
    for (let batch = take(); batch !== undefined; batch = take()) this.#track(this.#run(batch));
  }

  /** Tries a parked key again, in the background; at most as many at once as the subscriber allows batches. */
  retry(key: { parkKey: string; tenantId: string; shard: number }): void {
    const { parking } = this.#courier;
    if (!this.#held.has(key.shard) || this.#stopped || this.pauses.hold(key.tenantId)) return;
    if (parking.isRetrying(key) || parking.retries >= this.subscriber.concurrency) return;
    this.#track(this.#retry(key));
  }

  async #retry(key: { parkKey: string; tenantId: string; shard: number }): Promise<void> {
    let isDue = false;
    try {
      isDue = await this.#courier.parking.retry(key);
    } finally {
      this.#options.onRetried(isDue);
    }
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

  #freshLanes(): Lanes<StreamItem> {
    const { concurrency, maxBatch = MAX_BATCH } = this.subscriber;
    this.#wholes = new Wholes();
    this.#progress = new Progress();
    const isPaused = (tenantId: string) => this.pauses.of(tenantId);
    return new Lanes<StreamItem>({
      concurrency,
      maxBatch,
      isPaused,
      mostPerTenant: Number.POSITIVE_INFINITY,
    });
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
        this.#progress.begin(shard, message.off);
        this.#lanes.add(this.#wholes.keep(message));
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
      if (error instanceof Fenced) return this.#fenced(error);
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

  async #run(batch: Batch<StreamItem>): Promise<void> {
    const items = firstOf(batch.items);
    let settled = 0; // whatever goes wrong below, nothing is lost: the batch stays where it is
    try {
      const messages = await messagesOf(this.#options.streams, items);
      const began = performance.now();
      settled = await this.#courier.bring(messages);
      this.#pace.took(performance.now() - began, messages.length);
    } catch (error) {
      if (error instanceof KeyFreed) return;
      if (!(error instanceof Fenced)) this.pauses.begin({ forMs: PAUSE_AFTER_ERROR_MS });
      throw error;
    } finally {
      for (const item of items.slice(0, settled)) {
        const { shard, off } = item;
        this.#wholes.drop(item);
        this.#progress.finish(shard, off);
        this.#acks.add(shard, [`${off}-0`]);
      }
      this.#lanes.finish(batch, batch.items.length - settled);
      void this.flush();
    }
  }

  /** Nothing is handled or read until the broker has asked again who holds what. */
  #fenced(why?: Error): void {
    this.#options.log?.debug(
      { err: why, subscription: this.name },
      'beginning again with what is not acknowledged',
    );
    this.#held = new Map();
    this.#options.onFenced();
  }
}
