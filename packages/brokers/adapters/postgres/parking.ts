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
    return this.#keys.size > 0 && this.#keys.has(nameOf(this.#keyOf(message)));
  }

  /** Puts a message behind its parked key; throws KeyFreed when the key is not parked any more. */
  behind(message: ParkedMessage): Promise<void> {
    const key = this.#keyOf(message);
    return this.#inTurn(key, async () => {
      if (!(await parkBehind(this.#options.db, key, message))) this.#keys.delete(nameOf(key));
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

  /** Tries a parked key again: its oldest message, then the ones behind it, until one fails or none is left. */
  async retry(given: { parkKey: string; tenantId: string; shard: number }): Promise<void> {
    const key = this.#withEpoch(given);
    this.#retrying.add(nameOf(key));
    try {
      while (!(await this.#retryHead(key)));
    } finally {
      this.#retrying.delete(nameOf(key));
    }
  }

  /** True when there is nothing more to do for now. */
  async #retryHead(key: ParkedKey): Promise<boolean> {
    const head = await headOf(this.#options.db, key);
    if (head?.state === 'dead') return true;
    if (head !== undefined) {
      const outcome = await this.#options.handle({ ...head.message, attempt: head.attempts + 1 });
      if (outcome?.kind === 'retry' || outcome?.kind === 'dead') {
        const failure = { ...failureOf(outcome), attempts: head.attempts + 1 };
        const own = failure.stray ? this.#keyOf(head.message, true) : key;
        await this.failed(head.message, failure, own);
        if (own.parkKey === key.parkKey) return true;
      } else if (outcome?.kind !== 'done') return true;
    }
    return this.#inTurn(key, async () => {
      const free = await unparkHead(this.#options.db, key, head?.message.off);
      if (free) this.#keys.delete(nameOf(key));
      return free;
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
    return this.#withEpoch({ parkKey: alone ? `${orderingKey}#${off}` : orderingKey, tenantId, shard });
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
