import { setTimeout as delay } from 'node:timers/promises';
import { FLOOD_REST_MS } from '@ghasi/brokers/pace';
import { MOST, type Mover } from './mover.ts';

// A pass costs the server 1 ms plus 0.02 ms a row. So the line rests after one, the longer the more it moved: a single
// event goes out at once, and a thousand a second leave in forty passes instead of two hundred (docs/decisions/0012).
const LONGEST_REST_MS = 25;
const BUSY_REST_MS = 5;
const MOST_TENANTS = 50;
const OTHERS_MS = 1_000;
/** Everybody waits for a pass that is under way, so beside others a flood takes short ones. */
const MOST_BESIDE_OTHERS = 32;

/**
 * One outbox on its way to the log: runs its mover as long as there is something to move. While one tenant has more
 * waiting than a pass can take, what others commit is moved beside it, at once.
 */
export class OutboxLine {
  readonly #mover: Mover;
  readonly #onMoved: () => void;
  readonly #onError: (error: unknown) => void;
  readonly #running = new Set<Promise<void>>();
  /** Who said something since the last look. */
  #tenants = new Set<string>();
  #isWanted = false;
  #isDraining = false;
  #isLettingPass = false;
  #isBehind = false;
  #othersSeen = Number.NEGATIVE_INFINITY;
  #stopped = false;

  constructor(mover: Mover, hears: { onMoved(): void; onError(error: unknown): void }) {
    this.#mover = mover;
    this.#onMoved = hears.onMoved;
    this.#onError = hears.onError;
  }

  /** Rows wait, of this tenant if known. Cheap: calls while a pass runs become one more pass. */
  nudge(tenantId?: string): void {
    if (this.#stopped) return;
    this.#isWanted = true;
    if (tenantId !== undefined) this.#tenants.add(tenantId);
    if (this.#isBehind && !this.#isLettingPass) this.#track(this.#letPass());
    if (!this.#isDraining) this.#track(this.#drain());
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all(this.#running);
  }

  async #drain(): Promise<void> {
    this.#isDraining = true;
    try {
      while (this.#isWanted && !this.#stopped) {
        this.#isWanted = false;
        await (this.#isBehind ? this.#passInFlood() : this.#pass());
      }
    } finally {
      this.#isDraining = false;
    }
  }

  async #pass(): Promise<void> {
    const tenants = this.#tenants;
    this.#tenants = new Set();
    const count = await this.#mover.pass();
    if (count > 0) this.#onMoved();
    if (count >= MOST) {
      this.#isBehind = true;
      for (const tenant of tenants) this.nudge(tenant); // they may still be waiting
      this.#isWanted = true;
    } else if (count > 1) await delay(Math.min(count, LONGEST_REST_MS));
  }

  /** One relay at a time is enough for a flood; and with others around, it takes less and rests in between. */
  async #passInFlood(): Promise<void> {
    const areOthers = performance.now() - this.#othersSeen < OTHERS_MS;
    const most = areOthers ? MOST_BESIDE_OTHERS : MOST;
    const count = await this.#mover.passUnlessBusy(most);
    this.#isWanted = true;
    if (count === undefined) return delay(BUSY_REST_MS);
    if (count > 0) this.#onMoved();
    this.#isBehind = count >= most;
    if (areOthers) await delay(FLOOD_REST_MS);
  }

  async #letPass(): Promise<void> {
    this.#isLettingPass = true;
    try {
      while (this.#tenants.size > 0 && this.#isBehind && !this.#stopped) {
        const some = [...this.#tenants].slice(0, MOST_TENANTS);
        for (const tenant of some) this.#tenants.delete(tenant);
        if ((await this.#mover.passOf(some)) === 0) continue;
        this.#othersSeen = performance.now();
        this.#onMoved();
      }
    } finally {
      this.#isLettingPass = false;
    }
  }

  #track(work: Promise<void>): void {
    const guarded = work.catch(this.#onError);
    this.#running.add(guarded);
    void guarded.finally(() => this.#running.delete(guarded));
  }
}
