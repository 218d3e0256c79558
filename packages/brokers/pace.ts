import { availableParallelism } from 'node:os';

// Where a message takes less than this, a few of them are not worth a transaction for each lane. Not smaller: on a busy
// machine everything takes long, and a transaction for each message would make it busier still.
const FAST_MS = 50;
const FEW = 64;
// Of many that wait, so many go together as are expected to take no longer than this: with a batch for each lane, those of
// a backlog had 70 messages on average, and 8 % of the speed was lost. Not longer: a transaction holds its locks to its end. With
// half a second, bookings at more than the machine can do waited for each other until their time was over.
const TOGETHER_MS = 50;
const LONGEST_BATCH_MS = 1_000;
const SHARED_MS = 1_000;
/**
 * So long a flood leaves the processors to others after a piece of its work: whoever wakes up while all of them are busy waits
 * up to 4 ms, and an event wakes up ten times on its way. The longer the fewer processors there are (docs/decisions/0020,
 * 0024).
 */
export const FLOOD_REST_MS = Math.min(25, Math.ceil(50 / availableParallelism()));

/** How a subscription's messages come in and go out lately: how quickly, and from how many tenants. */
export class Pace {
  #messageMs = 1; // until it is known: neither quick enough for large batches nor slow
  #lastTenant: string | undefined;
  /** When the messages of one tenant were last followed by another's. */
  #severalSeen = Number.NEGATIVE_INFINITY;
  readonly #gathers: boolean;

  /** `gathers`: nobody waits for its messages, so they go in as few batches as can be. */
  constructor({ gathers }: { gathers: boolean }) {
    this.#gathers = gathers;
  }

  /** If no more messages of a tenant wait than this, all of them may go in one batch, whatever their lanes. */
  get few(): number {
    return this.#gathers || this.#messageMs < FAST_MS ? FEW : 0;
  }

  /** If more of them wait, so many messages of several lanes may. */
  get together(): number {
    return this.#gathers ? Number.POSITIVE_INFINITY : Math.floor(TOGETHER_MS / this.#messageMs);
  }

  /** A batch has no more messages than this, so that it ends within a second, as far as one can tell. */
  get most(): number {
    return Math.max(1, Math.floor(LONGEST_BATCH_MS / this.#messageMs));
  }

  /** True while messages of several tenants come in. */
  get isShared(): boolean {
    return performance.now() - this.#severalSeen < SHARED_MS;
  }

  /** What the next batch may be like. */
  get limits(): { few: number; together: number; most: number; shared: boolean } {
    return { few: this.few, together: this.together, most: this.most, shared: this.isShared };
  }

  /** A batch of this tenant begins. */
  begins(tenantId: string): void {
    const isAnother = this.#lastTenant !== undefined && tenantId !== this.#lastTenant;
    if (isAnother) this.#severalSeen = performance.now();
    this.#lastTenant = tenantId;
  }

  /** A batch of so many messages took so long. */
  took(ms: number, messages: number): void {
    this.#messageMs += (ms / messages - this.#messageMs) / 8;
  }
}

/** Lets messages gather for a moment, so that subscribers nobody waits for take many of them in one transaction. */
export class Gathering {
  readonly #ms: number;
  #timer: NodeJS.Timeout | undefined;
  #isOver = false;

  /** `ms` 0: nothing is held back. */
  constructor(ms: number) {
    this.#ms = ms;
  }

  /** True while more may come; `resume` is called when that is over. */
  holdsBack(resume: () => void): boolean {
    if (this.#ms === 0) return false;
    if (this.#isOver) {
      this.#isOver = false;
      return false;
    }
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#isOver = true;
      resume();
    }, this.#ms);
    return true;
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}
