/** When a breaker opens and for how long. */
export type BreakerPolicy = {
  /** Failures in a row, over this many different keys, without a success in between. */
  readonly failingKeys: number;
  readonly firstPauseMs: number;
  readonly longestPauseMs: number;
};

export const defaultBreaker: BreakerPolicy = { failingKeys: 5, firstPauseMs: 5_000, longestPauseMs: 60_000 };

/** How long nothing is to be tried: of this tenant, or, without one, of the whole subscription. */
export type Rest = { readonly forMs: number; readonly tenantId?: string };

type Failed = { readonly tenantId: string; readonly orderingKey: string };

/** Tenants whose failures are remembered; who failed before that many others may fail as if for the first time. */
const MOST_TENANTS = 1_000;

/**
 * Tells "this message is bad" from "nothing works": when many keys fail one after the other, what they have in common
 * pauses instead of burning every message's attempts. That is their tenant, and nobody else notices (ORD-04); if
 * they are of several tenants and nobody else succeeds either, it is the whole subscription. After the pause one message is
 * tried; its success closes it. Its failure counts as an attempt: otherwise the oldest of a few bad messages would be tried
 * for ever, and everything behind it would wait (docs/decisions/0026).
 */
export class CircuitBreaker {
  readonly #policy: BreakerPolicy;
  readonly #now: () => number;
  readonly #all: Circuit;
  /** Of tenants that failed since they last succeeded. */
  readonly #tenants = new Map<string, Circuit>();

  /** `now` in milliseconds of a clock that never goes back. */
  constructor(policy: BreakerPolicy = defaultBreaker, now: () => number = () => performance.now()) {
    this.#policy = policy;
    this.#now = now;
    this.#all = new Circuit(policy, { tenants: 2 });
  }

  /** True from a pause that held this tenant up to the next success: try one message before the others. */
  isTesting(tenantId: string): boolean {
    return this.#all.isOpen || this.#tenants.get(tenantId)?.isOpen === true;
  }

  /** What keeps messages of this tenant from being tried now; undefined: nothing. */
  restOf(tenantId: string): Rest | undefined {
    const now = this.#now();
    const all = this.#all.restMs(now);
    if (all > 0) return { forMs: all };
    const own = this.#tenants.get(tenantId)?.restMs(now) ?? 0;
    return own > 0 ? { forMs: own, tenantId } : undefined;
  }

  succeeded(tenantId: string): void {
    this.#tenants.delete(tenantId);
    this.#all.close();
  }

  /**
   * Says whether a failure is the message's own, an attempt that counts. Of those that fail while it is open, only the first
   * after each pause is: the others would have waited, had they begun a moment later.
   */
  failed(message: Failed): boolean {
    const { tenantId } = message;
    if (this.restOf(tenantId) !== undefined) return false;
    const isTest = this.isTesting(tenantId);
    for (const circuit of [this.#ownOf(tenantId), this.#all]) circuit.failed(message, this.#now());
    return isTest || this.restOf(tenantId) === undefined;
  }

  #ownOf(tenantId: string): Circuit {
    const own = this.#tenants.get(tenantId) ?? new Circuit(this.#policy, { tenants: 1 });
    this.#tenants.set(tenantId, own);
    const [oldest] = this.#tenants.keys();
    if (this.#tenants.size > MOST_TENANTS && oldest !== undefined) this.#tenants.delete(oldest);
    return own;
  }
}

/** Failures in a row, and the pause that comes of them when their keys belong to so many `tenants`. */
class Circuit {
  readonly #policy: BreakerPolicy;
  readonly #fewestTenants: number;
  readonly #keys = new Set<string>();
  readonly #tenants = new Set<string>();
  #pauseMs = 0;
  #pausedUntil = 0;

  constructor(policy: BreakerPolicy, { tenants }: { tenants: number }) {
    this.#policy = policy;
    this.#fewestTenants = tenants;
  }

  get isOpen(): boolean {
    return this.#pauseMs > 0;
  }

  restMs(now: number): number {
    return this.isOpen ? Math.max(0, Math.ceil(this.#pausedUntil - now)) : 0;
  }

  close(): void {
    this.#keys.clear();
    this.#tenants.clear();
    this.#pauseMs = 0;
  }

  failed({ tenantId, orderingKey }: Failed, now: number): void {
    const { failingKeys, firstPauseMs, longestPauseMs } = this.#policy;
    if (!this.isOpen) {
      if (this.#keys.size < failingKeys) this.#keys.add(orderingKey);
      if (this.#tenants.size < this.#fewestTenants) this.#tenants.add(tenantId);
      if (this.#keys.size < failingKeys || this.#tenants.size < this.#fewestTenants) return;
    }
    this.#pauseMs = this.isOpen ? Math.min(longestPauseMs, this.#pauseMs * 2) : firstPauseMs;
    this.#pausedUntil = now + this.#pauseMs;
  }
}
