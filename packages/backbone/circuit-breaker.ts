/** When a breaker opens and for how long. */
export type BreakerPolicy = {
  /** Failures in a row, over this many different keys, without a success in between. */
  readonly failingKeys: number;
  readonly firstPauseMs: number;
  readonly longestPauseMs: number;
};

export const defaultBreaker: BreakerPolicy = { failingKeys: 5, firstPauseMs: 5_000, longestPauseMs: 60_000 };

/**
 * Tells "this message is bad" from "nothing works": when many keys fail one after the other, the subscription pauses
 * instead of burning every message's attempts. After the pause one message is tried; its success closes it. Its
 * failure counts as an attempt: otherwise the oldest of a few bad messages would be tried for ever, and everything behind
 * it would wait (docs/decisions/0026).
 */
export class CircuitBreaker {
  readonly #policy: BreakerPolicy;
  readonly #now: () => number;
  readonly #failing = new Set<string>();
  #pauseMs = 0;
  #pausedUntil = 0;

  /** `now` in milliseconds of a clock that never goes back. */
  constructor(policy: BreakerPolicy = defaultBreaker, now: () => number = () => performance.now()) {
    this.#policy = policy;
    this.#now = now;
  }

  /** True from the first pause to the next success: try one message before the others. */
  get isTesting(): boolean {
    return this.#pauseMs > 0;
  }

  /** How long nothing is to be tried; 0: now. */
  get restMs(): number {
    return this.isTesting ? Math.max(0, Math.ceil(this.#pausedUntil - this.#now())) : 0;
  }

  succeeded(): void {
    this.#failing.clear();
    this.#pauseMs = 0;
  }

  /**
   * Says whether a failure is the message's own, an attempt that counts. Of those that fail while the breaker is open, only
   * the first after each pause is: the others would have waited, had they begun a moment later.
   */
  failed(key: string): boolean {
    this.#failing.add(key);
    if (!this.isTesting && this.#failing.size < this.#policy.failingKeys) return true;
    if (this.restMs > 0) return false;
    const { firstPauseMs, longestPauseMs } = this.#policy;
    const wasTest = this.isTesting;
    this.#pauseMs = wasTest ? Math.min(longestPauseMs, this.#pauseMs * 2) : firstPauseMs;
    this.#pausedUntil = this.#now() + this.#pauseMs;
    return wasTest;
  }
}
