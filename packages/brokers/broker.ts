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
 * What became of a delivery. `retry`: `afterMs` is the first wait, where the handler knows better than the policy. `blocked`: not tried, because an earlier message of its key failed in the same batch.
 * `pause`: not tried or not its own fault; give it back later without counting, and stop the subscription that long, or
 * with `tenantId` only what that tenant has in it.
 * `dead`: it can never be handled; `stray` says that it was never part of its key's history (somebody put it on the broker
 * by hand), so that nothing has to wait for it. `fenced`: the work belongs to somebody else by now.
 */
export type Outcome =
  | { readonly kind: 'done' }
  | { readonly kind: 'retry'; readonly error: string; readonly afterMs?: number }
  | { readonly kind: 'dead'; readonly error: string; readonly stray?: boolean }
  | { readonly kind: 'blocked' }
  | { readonly kind: 'pause'; readonly error: string; readonly forMs: number; readonly tenantId?: string }
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
  /** Most messages of one batch. The default is the broker's own: a few hundred. */
  readonly maxBatch?: number;
  /** So long messages wait for more to come, where cheap matters more than soon. Default 0. */
  readonly gatherMs?: number;
  /** Takes messages of one tenant, oldest first, and says what became of each. Never throws for a bad message. */
  handle(batch: readonly Delivery[], fence: Fence | undefined): Promise<readonly Outcome[]>;
};

/** A running subscription. */
export type Subscription = {
  /** Stops taking messages, waits for those in flight, and writes down how far it came. */
  stop(): Promise<void>;
};

/** A message on its way to a broker. `id` and `publishedAt` are the broker's to give. */
export type Outgoing = Omit<Message, 'id' | 'publishedAt'>;

/** What a broker says to one message: it has it, under which id, or why it does not take it. */
export type Published =
  | { readonly ok: true; readonly id: string }
  | { readonly ok: false; readonly error: string };

/** Whether a broker can do something, and why it can or cannot. */
export type Feature = { readonly has: boolean; readonly reason: string };

/** What brokers differ in; everything else they all do, and `broker.conformance.ts` checks it. */
export const featureNames = [
  /** Outboxes reach it by a statement on the server, without claims and leases. */
  'serverSideRelay',
  /** What `publish` accepted is on disk. */
  'durable',
  /** A subscriber sees a key's messages in order whatever their topics. */
  'orderedAcrossTopics',
  /** Whoever lost a shard cannot write an effect any more. */
  'fencing',
  /** A subscription can be moved back in time. */
  'seek',
  /** A message with the attribute `replayTarget` reaches that subscription only. */
  'replayTarget',
  /** A tenant that floods does not hold the others up. */
  'fairTenants',
  /** Somebody can subscribe to `<topic>.dlq`. */
  'dlqSubscriptions',
] as const;

export type Features = Readonly<Record<(typeof featureNames)[number], Feature>>;

/** Carries messages from outboxes to subscribers: at least once, in order per key, in any number of processes. */
export type Broker = {
  readonly name: string;
  readonly features: Features;
  /** Makes subscriptions known: what is published from now on waits for them, whether or not they run. */
  prepare(subscriptions: readonly string[]): Promise<void>;
  /**
   * Takes messages, in order per key: after one that it refuses, it refuses the later ones of that key too. Throws when
   * it cannot be reached (nobody knows what arrived), and {@link BrokerForgot} when it lost what it had taken before;
   * called without messages, it only finds that out.
   */
  publish(messages: readonly Outgoing[]): Promise<readonly Published[]>;
  /** After {@link BrokerForgot}: has everything that may be missing published again, then takes messages as before. */
  recover?(republishSince: (since: Date | undefined) => Promise<unknown>): Promise<void>;
  /** Starts to consume. All subscribers of a process are given at once, and once. */
  subscribe(subscribers: readonly Subscriber[]): Promise<Subscription>;
  /** There may be something new to read. */
  wake(): void;
  /** Tries the parked keys that are due; somebody may have decided about a dead letter. */
  retryParked(): Promise<void>;
  /** Writes down now how far every subscription of this process is done. */
  flush(): Promise<void>;
  /**
   * How many messages the subscriptions of this process have not dealt with, at most; 0 when it is all of them. A broker
   * across a network also knows it of `others`, which run elsewhere.
   */
  backlog(others?: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** Stops consuming and lets go of what the broker opened itself. */
  close(): Promise<void>;
};

/** The broker lost its memory: messages it had accepted may be gone. */
export class BrokerForgot extends Error {}

/** When a failing message is tried again, and how often (DLQ-01, DLQ-02, DLQ-07). */
export type RetryPolicy = {
  readonly minBackoffMs: number;
  readonly maxBackoffMs: number;
  readonly maxAttempts: number;
};

/** The ledger's policy. */
export const defaultRetry: RetryPolicy = { minBackoffMs: 10_000, maxBackoffMs: 600_000, maxAttempts: 7 };

/** The same for a handler that names its first wait: it doubles as well, so that seven attempts are not over in a moment. */
export function namedBackoffMs(attempts: number, firstMs: number, { maxBackoffMs }: RetryPolicy): number {
  return Math.max(firstMs, Math.min(maxBackoffMs, firstMs * 2 ** (attempts - 1)));
}

/** How long to wait after the n-th failed attempt: doubling, and up to a quarter more by chance, between the two ends of the policy. */
export function backoffMs(attempts: number, policy: RetryPolicy, random: () => number = Math.random): number {
  const least = policy.minBackoffMs * 2 ** (attempts - 1);
  return Math.min(policy.maxBackoffMs, Math.round(least * (1 + 0.25 * random())));
}
