import { createHash } from 'node:crypto';
import type { Database } from '@ghasi/db/database';
import { safeReason } from '@ghasi/domain-primitives/safe-reason';
import type { Logger } from '@ghasi/telemetry/logger';
import type { Delivery, Outcome, RetryPolicy } from '../../broker.ts';
import {
  type Failure,
  headOf,
  type ParkedKey,
  type ParkedMessage,
  parkBehind,
  parkedKeys,
  parkFailure,
  unparkHead,
} from './parked.ts';

/** Characters of a reason that are kept. */
export const MOST_OF_A_REASON = 1_000;

/** Characters of an ordering key that parks under its own name: an index takes 2,700 bytes, and most of ours have 80. */
const MOST_OF_A_KEY = 512;

/** The key was freed while a message was on its way behind it: try that message like any other. */
export class KeyFreed extends Error {}

/** What parking needs from its group. */
export type ParkingOptions = {
  readonly db: Database;
  readonly subscription: string;
  readonly order: 'required' | 'any';
  readonly retry: RetryPolicy;
  readonly log: Logger | undefined;
  /** The fencing number of a shard; -1 when it is not held any more. */
  epochOf(shard: number): number;
  /** Runs one delivery; undefined when nothing may run now. */
  handle(delivery: Delivery & { shard: number }): Promise<Outcome | undefined>;
  onDead(topic: string): void;
};

/**
 * The keys of a group whose oldest message failed. Later messages of such a key are put behind it; everything else
 * flows. What happens to one key happens one after the other, so that the last retry and a new arrival never cross.
 */
export class Parking {
  readonly #options: ParkingOptions;
  /** Tenant and park key → the last thing that happens to it. */
  #keys = new Map<string, Promise<unknown>>();
  readonly #retrying = new Set<string>();

  constructor(options: ParkingOptions) {
    this.#options = options;
  }

  /** Reads which keys of these shards are parked. */
  async load(shards: readonly number[]): Promise<void> {
    const found = await parkedKeys(this.#options.db, this.#options.subscription, shards);
    this.#keys = new Map(found.map(key => [nameOf(key), Promise.resolve()]));
  }

  has(message: ParkedMessage): boolean {
    return this.#keys.size > 0 && this.#keys.has(nameOf(this.#parkedKeyOf(message)));
  }

  /** Puts messages behind their parked keys, all of a key at once. Gives back those whose key is not parked any more. */
  async allBehind<M extends ParkedMessage>(messages: readonly M[]): Promise<M[]> {
    const freed: M[] = [];
    for (const own of Map.groupBy(messages, message => nameOf(this.#parkedKeyOf(message))).values()) {
      try {
        await this.behind(own[0] as M, ...own.slice(1));
      } catch (error) {
        if (!(error instanceof KeyFreed)) throw error;
        freed.push(...own);
      }
    }
    return freed;
  }

  /** Puts messages of one key behind it; throws KeyFreed when it is not parked any more. */
  behind(first: ParkedMessage, ...others: readonly ParkedMessage[]): Promise<void> {
    const key = this.#parkedKeyOf(first);
    return this.#inTurn(key, async () => {
      if (!(await parkBehind(this.#options.db, key, [first, ...others]))) this.#keys.delete(nameOf(key));
      if (!this.#keys.has(nameOf(key))) throw new KeyFreed(key.parkKey);
    });
  }

  /** Parks a key with the message that failed, or counts one more failure of it. */
  async failed(
    message: ParkedMessage,
    failure: Failure,
    key: ParkedKey = this.#keyOf(message, failure.stray),
  ): Promise<void> {
    const { db, retry, log, onDead, subscription } = this.#options;
    const isNew = !this.#keys.has(nameOf(key));
    // In memory first: a message of this key that is taken while the row is written must already wait.
    const kept = failure.stray === true ? marked(message) : message;
    const parked = this.#inTurn(key, () => parkFailure(db, key, kept, { ...failure, retry }), true);
    let state: 'retrying' | 'dead';
    try {
      state = await parked;
    } catch (error) {
      if (isNew) this.#keys.delete(nameOf(key));
      throw error;
    }
    const facts = {
      subscription,
      topic: message.topic,
      eventId: message.eventId,
      attempts: failure.attempts,
      reason: failure.error,
    };
    if (state === 'dead') {
      onDead(message.topic);
      log?.error(facts, `a message of ${message.topic} is a dead letter; see: melm dlq list`);
    } else log?.warn(facts, `a message of ${message.topic} failed and will be tried again`);
  }

  /** True while a retry of this key runs. */
  isRetrying(key: { tenantId: string; parkKey: string }): boolean {
    return this.#retrying.has(nameOf(key));
  }

  get retries(): number {
    return this.#retrying.size;
  }

  /**
   * Tries the oldest message of a parked key again. True when the next one of it is due now: that one takes its turn behind
   * all keys that are due already, since a key may have thousands behind it.
   */
  async retry(given: { parkKey: string; tenantId: string; shard: number }): Promise<boolean> {
    const key = this.#withEpoch(given);
    this.#retrying.add(nameOf(key));
    try {
      return await this.#retryHead(key);
    } finally {
      this.#retrying.delete(nameOf(key));
    }
  }

  /** True when it is done and another one waits behind it. */
  async #retryHead(key: ParkedKey): Promise<boolean> {
    const head = await headOf(this.#options.db, key);
    if (head?.state === 'dead') return false;
    if (head !== undefined) {
      const outcome = await this.#options.handle({ ...head.message, attempt: head.attempts + 1 });
      if (outcome?.kind === 'retry' || outcome?.kind === 'dead') {
        const failure = { ...failureOf(outcome), attempts: head.attempts + 1 };
        const own = failure.stray ? this.#keyOf(head.message, true) : key;
        await this.failed(head.message, failure, own);
        if (own.parkKey === key.parkKey) return false;
      } else if (outcome?.kind !== 'done') return false;
    }
    return this.#inTurn(key, async () => {
      const free = await unparkHead(this.#options.db, key, head?.message.off);
      if (free) this.#keys.delete(nameOf(key));
      return !free;
    });
  }

  #inTurn<T>(key: ParkedKey, work: () => Promise<T>, add = false): Promise<T> {
    const before = this.#keys.get(nameOf(key));
    const turn = (before ?? Promise.resolve()).then(work);
    if (add || before !== undefined)
      this.#keys.set(
        nameOf(key),
        turn.catch(() => {}),
      );
    return turn;
  }

  /** Where order matters, a message parks its key; elsewhere, and if it never belonged there, only itself. */
  #keyOf({ tenantId, shard, orderingKey, off }: ParkedMessage, stray = false): ParkedKey {
    const alone = stray || this.#options.order === 'any';
    const name = orderingKey.length > MOST_OF_A_KEY ? hashed(orderingKey) : orderingKey;
    return this.#withEpoch({ parkKey: alone ? `${name}#${off}` : name, tenantId, shard });
  }

  /** A stray that was refused and comes again, because one before it waits, has its own place already: it is no new failure. */
  #parkedKeyOf(message: ParkedMessage): ParkedKey {
    const own = this.#keyOf(message, true);
    return this.#keys.has(nameOf(own)) ? own : this.#keyOf(message);
  }

  #withEpoch(key: { parkKey: string; tenantId: string; shard: number }): ParkedKey {
    const { subscription, epochOf } = this.#options;
    return { ...key, subscription, epoch: epochOf(key.shard) };
  }
}

/** The tenant is part of it: another tenant's message cannot hold this one's key, whatever it calls itself. */
function nameOf({ tenantId, parkKey }: { tenantId: string; parkKey: string }): string {
  return `${tenantId} ${parkKey}`;
}

function hashed(orderingKey: string): string {
  return `sha256:${createHash('sha256').update(orderingKey).digest('hex')}`;
}

/** Whoever settles it must know: it may be a copy of a message of ours, which has to stay what it is. */
function marked(message: ParkedMessage): ParkedMessage {
  return { ...message, attributes: { ...message.attributes, stray: 'true' } };
}

/** The failure a first attempt ended with. */
export function failureOf(outcome: Extract<Outcome, { kind: 'retry' | 'dead' }>): Failure {
  return {
    attempts: 1,
    error: safeReason(outcome.error, MOST_OF_A_REASON),
    giveUp: outcome.kind === 'dead',
    stray: outcome.kind === 'dead' && outcome.stray === true,
    ...(outcome.kind === 'retry' && outcome.afterMs !== undefined ? { afterMs: outcome.afterMs } : {}),
  };
}
