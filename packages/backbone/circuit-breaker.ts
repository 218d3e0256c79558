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
 * instead of burning every message's attempts. After the pause one message is tried; its success closes it.
 */
export class CircuitBreaker {
  readonly #policy: BreakerPolicy;
  readonly #failing = new Set<string>();
  #pauseMs = 0;

  constructor(policy: BreakerPolicy = defaultBreaker) {
    this.#policy = policy;
  }

  /** True after a pause: try one message before the others. */
  get isTesting(): boolean {
    return this.#pauseMs > 0;
  }

  succeeded(): void {
    this.#failing.clear();
    this.#pauseMs = 0;
  }

  /** Counts a failure; says how long to pause when the breaker opens or stays open. */
  failed(key: string): number | undefined {
    this.#failing.add(key);
    if (!this.isTesting && this.#failing.size < this.#policy.failingKeys) return undefined;
    const { firstPauseMs, longestPauseMs } = this.#policy;
    this.#pauseMs = this.#pauseMs === 0 ? firstPauseMs : Math.min(longestPauseMs, this.#pauseMs * 2);
    return this.#pauseMs;
  }
}
