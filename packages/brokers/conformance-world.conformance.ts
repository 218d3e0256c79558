import { randomUUID } from 'node:crypto';
import type { Database } from '@ghasi/db/database';
import { uuid7 } from '@ghasi/domain-primitives/uuid';
import { expect } from 'vitest';
import type {
  Broker,
  Delivery,
  Features,
  Fence,
  Outcome,
  Outgoing,
  Published,
  RetryPolicy,
  Subscriber,
} from './broker.ts';

/** A broker as one process has it. `cut` ends its connections for good, as a crash would; the code lives on. */
export type Member = { readonly broker: Broker; cut(): Promise<void> };

/** How to open a member. `cutAt`: its line to PostgreSQL is cut once, before a statement with this text arrives. */
export type MemberOptions = {
  readonly retry?: RetryPolicy;
  readonly cuttable?: boolean;
  readonly cutAt?: string;
};

/** Where a suite runs: members that share one broker, and the tools of its operators. */
export type BrokerHarness = {
  open(options?: MemberOptions): Promise<Member>;
  /** Signed in as `relay`. */
  readonly relay: Database;
  /** The records of a `.dlq` topic. */
  deadLetterRecords(topic: string): Promise<{ eventId: string; attributes: Record<string, string> }[]>;
  close(): Promise<void>;
};

/** Which broker a suite is run for. */
export type Candidate = { readonly features: Features; start(): Promise<BrokerHarness> };

/** Retries that a test can wait for. */
export const shortRetry: RetryPolicy = { minBackoffMs: 20, maxBackoffMs: 80, maxAttempts: 7 };

export const done: Outcome = { kind: 'done' };
export const fails: Outcome = { kind: 'retry', error: 'not yet' };

/** Names nobody else uses, and messages for them. */
export function newPlace() {
  const mark = randomUUID().slice(0, 8);
  const topic = `shop.${mark}.changed.v1`;
  const tenantId = uuid7() as string;
  return {
    topic,
    other: `shop.${mark}.cancelled.v1`,
    service: `service-${mark}`,
    tenantId,
    /** Message `n` of a key. */
    message(key: string, n: number, more: Partial<Outgoing> = {}): Outgoing {
      const tenant = more.tenantId ?? tenantId;
      return {
        topic,
        orderingKey: `${tenant}:${key}`,
        eventId: uuid7(),
        tenantId: tenant,
        envelope: JSON.stringify({ key, n }),
        attributes: { traceparent: 't' },
        enqueuedAt: new Date(),
        ...more,
      };
    },
  };
}

/** A subscriber that remembers. `decide` says what becomes of a message; after a failure its key is blocked. */
export type Recorder = {
  readonly subscriber: Subscriber;
  /** `key:n` of every message that was tried, in that order. */
  readonly tried: string[];
  readonly deliveries: Delivery[];
  readonly batches: (readonly Delivery[])[];
  readonly fences: Fence[];
  mostAtOnce: number;
};

/** Keys that any recorder was given while it still worked on them. */
const overlaps: string[] = [];

/** Fails if a key was worked on twice at once since it was last asked. A handler that throws would only be called again. */
export function expectNoOverlaps(): void {
  expect(overlaps.splice(0), 'worked on twice at once').toEqual([]);
}

export function recorder(
  name: string,
  topics: readonly string[],
  options: Partial<Pick<Subscriber, 'concurrency' | 'order' | 'maxBatch'>> & {
    decide?: (what: string, delivery: Delivery) => Outcome | Promise<Outcome>;
  } = {},
): Recorder {
  const { decide = () => done, ...settings } = options;
  const working = new Set<string>();
  let running = 0;
  const recorded: Recorder = {
    tried: [],
    deliveries: [],
    batches: [],
    fences: [],
    mostAtOnce: 0,
    subscriber: {
      name,
      topics,
      concurrency: 4,
      order: 'required',
      ...settings,
      async handle(batch, fence) {
        recorded.mostAtOnce = Math.max(recorded.mostAtOnce, ++running);
        recorded.batches.push(batch);
        if (fence !== undefined) recorded.fences.push(fence);
        const keys = [...new Set(batch.map(({ orderingKey }) => orderingKey))];
        for (const key of keys) {
          if (working.has(key)) overlaps.push(key);
          working.add(key);
        }
        try {
          return await each(batch);
        } finally {
          for (const key of keys) working.delete(key);
          running--;
        }
      },
    },
  };
  const each = async (batch: readonly Delivery[]): Promise<Outcome[]> => {
    const outcomes: Outcome[] = [];
    const blocked = new Set<string>();
    for (const delivery of batch) {
      const last = outcomes.at(-1);
      if (last?.kind === 'pause') outcomes.push(last);
      else if (blocked.has(delivery.orderingKey)) outcomes.push({ kind: 'blocked' });
      else {
        const what = nameOf(delivery);
        recorded.tried.push(what);
        recorded.deliveries.push(delivery);
        const outcome = await decide(what, delivery);
        outcomes.push(outcome);
        const holdsBack = outcome.kind === 'retry' || (outcome.kind === 'dead' && outcome.stray !== true);
        if (holdsBack && recorded.subscriber.order === 'required') blocked.add(delivery.orderingKey);
      }
    }
    return outcomes;
  };
  return recorded;
}

/** `key:n` of a message. */
export function nameOf({ envelope }: Pick<Delivery, 'envelope'>): string {
  const { key, n } = JSON.parse(envelope) as { key: string; n: number };
  return `${key}:${n}`;
}

/** What was tried of one key, without repetitions. */
export function firstsOf(tried: readonly string[], key: string): string[] {
  return [...new Set(tried.filter(what => what.startsWith(`${key}:`)))];
}

/** `key:1` to `key:n`. */
export function upTo(key: string, n: number): string[] {
  return Array.from({ length: n }, (_, index) => `${key}:${index + 1}`);
}

/** Publishes and expects that everything was taken. */
export async function publishAll(broker: Broker, messages: readonly Outgoing[]): Promise<void> {
  const published: readonly Published[] = await broker.publish(messages);
  expect(published.map(({ ok }) => ok)).toEqual(messages.map(() => true));
  broker.wake();
}
