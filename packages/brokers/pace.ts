import { availableParallelism } from 'node:os';

// Where a message takes less than this, a few of them are not worth a transaction for each lane. Not smaller: on a busy
// machine everything takes long, and a transaction for each message would make it busier still.
const FAST_MS = 50;
const MOST_TOGETHER = 64;
const SHARED_MS = 1_000;
// Whoever wakes up while all processors are busy waits up to 4 ms, and an event wakes up ten times on its way. With half of
// the time for a flood, on two processors, the others' p99 was four times what it is without one; with a ninth, about
// twice; with a thirteenth, one and a half times (docs/decisions/0020, 0022).
const REST_FACTOR = Math.max(1, Math.round(24 / availableParallelism()));
const LONGEST_REST_MS = 25;

/**
 * How long a flood leaves the processors to others after a piece of work: the longer the fewer there are. Never long, since
 * what took its time was waiting, not computing.
 */
export function restAfter(tookMs: number): number {
  return Math.min(tookMs * REST_FACTOR, LONGEST_REST_MS);
}

/** How a subscription's messages come in and go out lately: how quickly, and from how many tenants. */
export class Pace {
  #messageMs = 0;
  #lastTenant: string | undefined;
  /** When the messages of one tenant were last followed by another's. */
  #severalSeen = 0;
  readonly #gathers: boolean;

  /** `gathers`: nobody waits for its messages, so they go in as few batches as can be. */
  constructor({ gathers }: { gathers: boolean }) {
    this.#gathers = gathers;
  }

  /** So many waiting messages of a tenant may go in one batch, whatever their lanes. */
  get together(): number {
    return this.#gathers || this.#messageMs < FAST_MS ? MOST_TOGETHER : 0;
  }

  /** True while messages of several tenants come in. */
  get isShared(): boolean {
    return Date.now() - this.#severalSeen < SHARED_MS;
  }

  /** A batch of this tenant begins. */
  begins(tenantId: string): void {
    const isAnother = this.#lastTenant !== undefined && tenantId !== this.#lastTenant;
    if (isAnother) this.#severalSeen = Date.now();
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
