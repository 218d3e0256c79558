import type { Database } from '@ghasi/db/database';
import { isUnfitValue } from '@ghasi/db/pg-errors';
import { failpoint } from '@ghasi/domain-primitives/failpoint';
import type { Logger } from '@ghasi/telemetry/logger';
import type { Delivery, Outcome, RetryPolicy, Subscriber } from '../../broker.ts';
import type { Pause } from '../../pauses.ts';
import { Fenced } from '../postgres/parked.ts';
import { failureOf, Parking } from '../postgres/parking.ts';
import type { StreamMessage } from './stream-entry.ts';

/** What a courier needs. */
export type CourierOptions = {
  readonly db: Database;
  readonly subscriber: Subscriber;
  readonly retry: RetryPolicy;
  readonly log: Logger | undefined;
  /** The fencing number of a shard; -1 when it is not held any more. */
  epochOf(shard: number): number;
  onPause(pause: Pause): void;
  /** A subscriber gave up: leaves a record on the `.dlq` stream. */
  recordDeadLetter(message: StreamMessage, failure: { attempts: number; error: string }): Promise<void>;
  onDead(topic: string): void;
};

/** Brings messages to one subscriber and deals with what it says. Keys that fail are parked, in PostgreSQL. */
export class Courier {
  readonly parking: Parking;
  readonly #options: CourierOptions;

  constructor(options: CourierOptions) {
    const { subscriber } = options;
    this.#options = options;
    this.parking = new Parking({
      ...options,
      subscription: subscriber.name,
      order: subscriber.order,
      // A parked message that came from a stream has what a stream gave it.
      handle: async delivery => (await this.#hand([delivery as Delivery & StreamMessage]))[0],
    });
  }

  /**
   * Brings a batch. Returns how many of its first messages are off our hands: done, or parked. Throws Fenced when the shard is
   * somebody else's.
   */
  async bring(batch: readonly StreamMessage[]): Promise<number> {
    const flowing: { place: number; message: StreamMessage }[] = [];
    for (const [place, message] of batch.entries()) {
      if (this.parking.has(message)) await this.#park(message, () => this.parking.behind(message));
      else flowing.push({ place, message });
    }
    const outcomes = await this.#hand(flowing.map(({ message }) => ({ ...message, attempt: 1 })));
    let settled = batch.length;
    for (const [index, { place, message }] of flowing.entries())
      if (!(await this.#settle(message, outcomes[index]))) settled = Math.min(settled, place);
    return settled;
  }

  async #hand(deliveries: readonly (Delivery & StreamMessage)[]): Promise<readonly Outcome[]> {
    const { subscriber, epochOf, onPause } = this.#options;
    if (deliveries.length === 0) return [];
    const shards = [...new Set(deliveries.map(({ shard }) => shard))];
    const epochs = shards.map(epochOf);
    await failpoint('broker.before-handle');
    const outcomes = await subscriber.handle(deliveries, { subscription: subscriber.name, shards, epochs });
    await failpoint('broker.after-handle');
    for (const [place, outcome] of outcomes.entries()) {
      if (outcome.kind === 'fenced') throw new Fenced(`${subscriber.name} lost a shard`);
      if (outcome.kind === 'pause') onPause(outcome);
      await this.#recordIfDead(deliveries[place] as Delivery & StreamMessage, outcome);
    }
    return outcomes;
  }

  /** Before PostgreSQL is told: a crash in between leaves a record too many and never one too few. */
  async #recordIfDead(delivery: Delivery & StreamMessage, outcome: Outcome): Promise<void> {
    const { retry, log, recordDeadLetter } = this.#options;
    const isLast = outcome.kind === 'retry' && delivery.attempt >= retry.maxAttempts;
    if (outcome.kind !== 'dead' && !isLast) return;
    const failure = { attempts: delivery.attempt, error: outcome.error };
    await recordDeadLetter(delivery, failure).catch(error =>
      log?.warn({ err: error, eventId: delivery.eventId }, 'no record on the .dlq stream; PostgreSQL has it'),
    );
  }

  /**
   * What PostgreSQL cannot keep (no JSON, a NUL) came from no outbox: somebody wrote it by hand.
   * It gets its record and holds nobody up; tried again for ever, it would hold up the whole subscription.
   */
  async #park(message: StreamMessage, work: () => Promise<void>): Promise<void> {
    const { log, subscriber, recordDeadLetter } = this.#options;
    try {
      await work();
    } catch (error) {
      if (!isUnfitValue(error)) throw error;
      await recordDeadLetter(message, { attempts: 1, error: String(error) });
      log?.error(
        { err: error, subscription: subscriber.name, topic: message.topic, id: message.id },
        'a message cannot be kept in PostgreSQL: it was put aside, see the .dlq stream of its topic',
      );
    }
  }

  /** True when the message is off our hands. */
  async #settle(message: StreamMessage, outcome: Outcome | undefined): Promise<boolean> {
    switch (outcome?.kind) {
      case 'done':
        return true;
      case 'pause':
        return false;
      case 'blocked':
        await this.#park(message, () => this.parking.behind(message));
        return true;
      case 'retry':
      case 'dead':
        await this.#park(message, () => this.parking.failed(message, failureOf(outcome)));
        return true;
      default:
        throw new Error(
          `the handler of ${this.#options.subscriber.name} gave no outcome for ${message.eventId}`,
        );
    }
  }
}
