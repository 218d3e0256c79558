/** One event on its way, as a broker carries it. */
export type Message = {
  /** The broker's own name for this record: an offset, a stream id. Informational. */
  readonly id: string;
  readonly topic: string;
  readonly orderingKey: string;
  readonly eventId: string;
  /** As stored: the platform is its reserved uuid. */
  readonly tenantId: string;
  /** The exact text that was signed. */
  readonly envelope: string;
  /** `traceparent`, `signature`, `replayTarget` and whatever a broker adds. */
  readonly attributes: Readonly<Record<string, string>>;
  readonly enqueuedAt: Date;
  readonly publishedAt: Date;
};

/** A message in the hands of a consumer. */
export type Delivery = Message & {
  /** From 1. Counts handler runs that failed, not batches that were given back. */
  readonly attempt: number;
};

/**
 * What became of a delivery. `blocked`: not tried, because an earlier message of its key failed in the same batch.
 * `pause`: not tried or not its own fault; give it back later without counting, and stop the subscription that long.
 * `dead`: it can never be handled; `stray` says that it was never part of its key's history (somebody put it on the broker
 * by hand), so that nothing has to wait for it. `fenced`: the work belongs to somebody else by now.
 */
export type Outcome =
  | { readonly kind: 'done' }
  | { readonly kind: 'retry'; readonly error: string; readonly afterMs?: number }
  | { readonly kind: 'dead'; readonly error: string; readonly stray?: boolean }
  | { readonly kind: 'blocked' }
  | { readonly kind: 'pause'; readonly error: string; readonly forMs: number }
  | { readonly kind: 'fenced' };

/** Proof that a consumer still owns what it works on; checked inside the transaction of the effect. */
export type Fence = {
  readonly subscription: string;
  readonly shards: readonly number[];
  readonly epochs: readonly number[];
};

/** Who consumes: one subscriber is one service, whatever number of processes it runs in. */
export type Subscriber = {
  readonly name: string;
  readonly topics: readonly string[];
  /** Batches in flight at once. */
  readonly concurrency: number;
  /** `required`: a failing message holds back the later ones of its key. */
  readonly order: 'required' | 'any';
  /** Most messages of one batch. Default 256. */
  readonly maxBatch?: number;
  /** Takes messages of one tenant, oldest first, and says what became of each. Never throws for a bad message. */
  handle(batch: readonly Delivery[], fence: Fence | undefined): Promise<readonly Outcome[]>;
};

/** A running subscription. */
export type Subscription = {
  /** Stops taking messages, waits for those in flight, and writes down how far it came. */
  stop(): Promise<void>;
};

/** When a failing message is tried again, and how often (DLQ-01, DLQ-02, DLQ-07). */
export type RetryPolicy = {
  readonly minBackoffMs: number;
  readonly maxBackoffMs: number;
  readonly maxAttempts: number;
};

/** The ledger's policy. */
export const defaultRetry: RetryPolicy = { minBackoffMs: 10_000, maxBackoffMs: 600_000, maxAttempts: 7 };

/** How long to wait after the n-th failed attempt: doubling, up to the maximum, the last quarter by chance. */
export function backoffMs(attempts: number, policy: RetryPolicy, random: () => number = Math.random): number {
  const full = Math.min(policy.maxBackoffMs, policy.minBackoffMs * 2 ** (attempts - 1));
  return Math.round(full * (0.75 + 0.25 * random()));
}
