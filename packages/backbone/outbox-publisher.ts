import { type Broker, BrokerForgot, type Published } from '@ghasi/brokers/broker';
import { failpoint } from '@ghasi/domain-primitives/failpoint';
import type { Claimed, ClaimedRow, Claims, FailedRow } from './claims.ts';
import type { Publication } from './observe-published.ts';
import { type PublishPolicy, publishWaitMs } from './publish-policy.ts';

/** What one pass did. `unreachable` says why the broker could not be asked, `forgot` that it lost its memory. */
export type Pass = {
  readonly published: number;
  readonly unreachable?: string;
  readonly forgot?: boolean;
};

/** What a publisher needs. */
export type PublisherOptions = {
  readonly claims: Claims;
  readonly broker: Pick<Broker, 'publish'>;
  readonly policy: PublishPolicy;
  /** How long a claim holds; another relay may take the key afterwards. */
  readonly leaseMs: number;
  /** How long the broker may take. Less than half of the lease. */
  readonly publishMs: number;
  onPublished(publication: () => Publication, count: number): void;
  onFailed(row: FailedRow): void;
  onQuarantined(row: { topic: string; eventId: string; attempts: number; error: string }): void;
};

/** Rows of one pass (OUTBOX-26). */
const MOST = 256;
const SMALLEST_WINDOW = 2_000;
const LARGEST_WINDOW = 2_000_000;

/**
 * Publishes one outbox to a broker across a network: claims keys in a short transaction, publishes outside any, then says
 * what became of the rows in another short one. A crash in between publishes the same rows under the same ids
 * once more, by whoever claims the key when the lease is over.
 */
export class OutboxPublisher {
  readonly #options: PublisherOptions;
  /** How much of the front is looked at; grows while everything in it waits, so that nobody starves behind it. */
  #window = SMALLEST_WINDOW;

  constructor(options: PublisherOptions) {
    this.#options = options;
  }

  /** One pass over at most `most` rows. */
  async pass(most = MOST): Promise<Pass> {
    const claimedAt = performance.now();
    const rows = await this.#claim(most);
    if (rows.length === 0) return { published: 0 };
    await failpoint('relay.after-claim');
    const { leaseMs, publishMs, claims } = this.#options;
    // This process stood still: the keys may be somebody else's by the time the messages arrive.
    if (performance.now() - claimedAt > leaseMs - publishMs) return { published: 0 };
    try {
      const answers = await this.#publish(rows);
      await failpoint('relay.after-publish');
      return await this.#settle(rows, answers);
    } catch (error) {
      if (error instanceof BrokerForgot) {
        await claims.release(rows);
        return { published: 0, forgot: true };
      }
      if (!(error instanceof Unreachable)) throw error;
      const refused = { ok: false, error: error.message } as const;
      await this.#settle(
        rows,
        rows.map(() => refused),
      );
      return { published: 0, unreachable: error.message };
    }
  }

  async #claim(most: number): Promise<readonly ClaimedRow[]> {
    const { claims, leaseMs } = this.#options;
    for (;;) {
      const found: Claimed = await claims.claim({ leaseMs, rows: most, window: this.#window });
      if (found.rows.length > 0) {
        this.#window = Math.max(SMALLEST_WINDOW, Math.floor(this.#window / 2));
        return found.rows;
      }
      if (found.sawAll || this.#window >= LARGEST_WINDOW) return [];
      this.#window *= 4;
    }
  }

  async #publish(rows: readonly ClaimedRow[]): Promise<readonly Published[]> {
    const { broker, publishMs } = this.#options;
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => late.reject(new Error(`no answer within ${publishMs} ms`)), publishMs);
    try {
      return await Promise.race([broker.publish(rows), late.promise]);
    } catch (error) {
      if (error instanceof BrokerForgot) throw error;
      throw new Unreachable(error instanceof Error ? error.message : String(error));
    } finally {
      clearTimeout(timer);
    }
  }

  async #settle(rows: readonly ClaimedRow[], answers: readonly Published[]): Promise<Pass> {
    const { claims, policy, onPublished, onFailed, onQuarantined } = this.#options;
    const { published, failed } = sort(rows, answers, policy);
    const settled = await claims.settle(published, failed);
    await failpoint('relay.after-mark');
    const done = published.filter(({ seq }) => settled.has(seq));
    if (done.length > 0) onPublished(() => publicationOf(done), done.length);
    const counted = failed.filter(({ row }) => settled.has(row.seq));
    for (const one of counted) onFailed(one);
    const { quarantineAfterAttempts: attempts, quarantineAfterMs: afterMs } = policy;
    const hopeless = counted.map(({ row }) => row).filter(row => row.attempts + 1 >= attempts);
    if (hopeless.length > 0)
      for (const row of await claims.quarantine(hopeless, { attempts, afterMs })) onQuarantined(row);
    return { published: done.length };
  }
}

/** Nobody knows what arrived. */
class Unreachable extends Error {}

/** After the first row of a key that failed, the later ones count as not tried, whatever the broker said of them. */
function sort(rows: readonly ClaimedRow[], answers: readonly Published[], policy: PublishPolicy) {
  const published: ClaimedRow[] = [];
  const failed: FailedRow[] = [];
  const stopped = new Set<string>();
  for (const [place, row] of rows.entries()) {
    if (stopped.has(row.orderingKey)) continue;
    const answer = answers[place] ?? { ok: false, error: 'the broker gave no answer' };
    if (answer.ok) published.push(row);
    else {
      stopped.add(row.orderingKey);
      failed.push({ row, error: answer.error, waitMs: publishWaitMs(row.attempts + 1, policy) });
    }
  }
  return { published, failed };
}

function publicationOf(rows: readonly ClaimedRow[]): Publication {
  const now = Date.now();
  const groups = Map.groupBy(rows, ({ topic, tenantId }) => `${topic} ${tenantId}`);
  return {
    groups: [...groups.values()].map(group => {
      const { topic, tenantId } = group[0] as ClaimedRow;
      const waited = group.reduce((sum, { enqueuedAt }) => sum + (now - enqueuedAt.getTime()), 0);
      return { topic, tenantId, count: group.length, waitSeconds: waited / group.length / 1000 };
    }),
    events: rows.map(({ topic, eventId, attributes, enqueuedAt }) => ({
      topic,
      eventId,
      traceparent: traceOf(attributes),
      appendedMs: enqueuedAt.getTime(),
      publishedMs: now,
    })),
  };
}

/** Whoever writes a row by hand may give it anything: also attributes that are null, or a trace that is no text. */
function traceOf(attributes: { readonly traceparent?: unknown } | null): string | null {
  return typeof attributes?.traceparent === 'string' ? attributes.traceparent : null;
}
