import type { Held, Membership } from './leases.ts';

/** Whoever works on the shards of a subscription. */
export type ShardHolder = {
  readonly name: string;
  /** True if it has these, under these numbers. */
  holdsExactly(held: readonly Held[]): boolean;
};

/** Whose shards are kept, and how they change hands. */
export type ShardKeeperOptions<Holder> = {
  readonly membership: Membership;
  readonly holders: ReadonlyMap<string, Holder>;
  /** Waits for what runs, then begins with these. `gives`: some of those it had are somebody else's from now on. */
  reset(holder: Holder, held: readonly Held[], gives: boolean): Promise<void>;
  /** It has what it should. */
  onChanged(): void;
  /** It is tried again at the next heartbeat. */
  onFailed(holder: Holder, error: unknown): unknown;
};

/** Sees to it that every subscription of this process has its fair share of the shards, and gives back what is too many. */
export class ShardKeeper<Holder extends ShardHolder> {
  readonly #options: ShardKeeperOptions<Holder>;
  /** Subscriptions that take or give shards just now. */
  readonly #changing = new Map<string, Promise<void>>();
  #balancing: Promise<void> | undefined;

  constructor(options: ShardKeeperOptions<Holder>) {
    this.#options = options;
  }

  /** Asks who should hold what; the changes go on beside it. */
  balance(): Promise<void> {
    this.#balancing ??= this.#doBalance().finally(() => {
      this.#balancing = undefined;
    });
    return this.#balancing;
  }

  /** Waits for what is under way. */
  async settled(): Promise<void> {
    await this.#balancing?.catch(() => {});
    await Promise.all(this.#changing.values());
  }

  async #doBalance(): Promise<void> {
    const { membership, holders } = this.#options;
    const { held, tooMany } = await membership.balance([...holders.keys()]);
    for (const [name, holder] of holders) {
      const mine = held.get(name) ?? [];
      const extra = tooMany.get(name) ?? [];
      const keep = mine.filter(one => !extra.some(({ shard }) => shard === one.shard));
      if (this.#changing.has(name) || (extra.length === 0 && holder.holdsExactly(keep))) continue;
      const change = this.#change(holder, keep, extra).finally(() => this.#changing.delete(name));
      this.#changing.set(name, change);
    }
  }

  /**
   * Beside the heartbeat: it waits for handlers, and nobody may take this process for dead meanwhile. What was let go of and
   * not given back, because the database did not answer, is given back the next time.
   */
  async #change(holder: Holder, keep: readonly Held[], extra: readonly Held[]): Promise<void> {
    const { membership, reset, onChanged, onFailed } = this.#options;
    try {
      if (!holder.holdsExactly(keep)) await reset(holder, keep, extra.length > 0);
      if (extra.length > 0) await membership.release(holder.name, extra);
      onChanged();
    } catch (error) {
      await onFailed(holder, error);
    }
  }
}
