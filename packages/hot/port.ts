import type { Bucket, Spent } from './gcra.ts';

/** `state` holds what must not vanish by itself (sessions, locks); `cache` may forget anything, least used first. */
export type Tier = 'state' | 'cache';

/** Without `ttlMs` a value stays until it is deleted (state) or evicted (cache). */
export type Ttl = { ttlMs?: number | undefined };

/**
 * The hot tier: small values with a time to live, an index of deadlines, leases, rate buckets and a message bus.
 * PostgreSQL stays the judge: nothing here may be the only proof of a promise, since a Redis can be lost.
 *
 * Every method throws STORE_UNAVAILABLE when the store does not answer; a write that failed so may have happened.
 */
export type HotStore = {
  readonly tier: Tier;
  get(key: string): Promise<string | undefined>;
  getMany(keys: readonly string[]): Promise<Array<string | undefined>>;
  /** Throws STORE_FULL on the state tier when there is no room. */
  set(key: string, value: string, options?: Ttl): Promise<void>;
  /** True for the one caller that created the key. */
  setIfAbsent(key: string, value: string, options?: Ttl): Promise<boolean>;
  /** Reads and deletes in one step: of many callers one gets the value (BO-15). */
  pull(key: string): Promise<string | undefined>;
  delete(key: string): Promise<boolean>;
  /** Walks all keys: for administration, not for requests. Returns how many it deleted. */
  deletePrefix(prefix: string): Promise<number>;
  /** Adds `by` (default 1); `ttlMs` counts only for the call that creates the counter. */
  increment(key: string, options?: Ttl & { by?: number }): Promise<number>;
  /** False when the key is not there. */
  expire(key: string, ttlMs: number): Promise<boolean>;
  readonly index: HotIndex;
  readonly lease: HotLease;
  /** One step of a rate bucket, by the store's clock; see rate-limit.ts. */
  spend(key: string, bucket: Bucket): Promise<Spent>;
  publish(channel: string, message: string): Promise<void>;
  /**
   * Messages from now on, at most once each. `onGap` is called when the line was down and is up again: messages of
   * that time are lost, so forget what you derived from them.
   */
  subscribe(
    channel: string,
    onMessage: (message: string) => void,
    options?: SubscribeOptions,
  ): Promise<Unsubscribe>;
  life(): Promise<Life>;
  usage(): Promise<Usage>;
  close(): Promise<void>;
};

/** What a subscriber may want to know besides messages. */
export type SubscribeOptions = { onGap?: () => void };

/** Ends a subscription. */
export type Unsubscribe = () => Promise<void>;

/** A member of an index and its score, usually a deadline in milliseconds since 1970. */
export type Due = { member: string; score: number };

/** A sorted set: what is due, although its value may have expired already. */
export type HotIndex = {
  /** Adds the member or moves it to the new score. */
  add(index: string, member: string, score: number): Promise<void>;
  /** Members with a score of at most `score`, lowest first, at most `limit`. */
  dueBefore(index: string, score: number, limit: number): Promise<Due[]>;
  /** True for the one caller that removed it. */
  remove(index: string, member: string): Promise<boolean>;
};

/** Keys that belong to whoever knows the token; the material of locks and of single-flight. */
export type HotLease = {
  /** The fencing number when the lease was free, larger than every one given before; undefined when it is held. */
  acquire(key: string, token: string, ttlMs: number): Promise<number | undefined>;
  /** False when somebody else holds it or nobody does. */
  renew(key: string, token: string, ttlMs: number): Promise<boolean>;
  /** Deletes the lease only if `token` still holds it. */
  release(key: string, token: string): Promise<boolean>;
  /** Writes `entry` and releases the lease in one step, only if `token` still holds it. */
  commit(key: string, token: string, entry: { key: string; value: string } & Ttl): Promise<boolean>;
};

/**
 * The store's memory of itself. `bornAt` is when its present contents began: whoever must recognise something older
 * (a nonce, say) cannot, and has to refuse. `afterLoss`: a process that knew an earlier life noticed the change.
 */
export type Life = { id: string; bornAt: number; afterLoss: boolean };

/** `limitBytes` undefined means no limit is set. */
export type Usage = { usedBytes: number; limitBytes: number | undefined; evicted: number };
