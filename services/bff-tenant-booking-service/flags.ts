import { seconds } from '@ghasi/domain-primitives/duration';
import type { HotStore } from '@ghasi/hot/hot-store';
import { z } from 'zod';

/** TB-13: what can be turned on and off while the site runs. */
export const flags = z.strictObject({
  /** Many come at once: cached answers live longer, drafts shorter. */
  flashSale: z.boolean(),
  manage: z.boolean(),
  handoff: z.boolean(),
});
export type Flags = z.output<typeof flags>;

export const defaultFlags: Flags = { flashSale: false, manage: true, handoff: true };

/** Where the flags are; no tenant's (CACHE-17, CACHE-28). */
export const FLAGS_KEY = 'bff-tenant-flags';

const POLL_MS = seconds(30);

/** Flags as they were at most 30 s ago. A store that is down or says nonsense changes nothing. */
export class FlagsPoll {
  readonly #store: HotStore;
  readonly #defaults: Flags;
  readonly #clock: () => number;
  #known: Flags;
  #readAt = Number.NEGATIVE_INFINITY;

  constructor(store: HotStore, defaults: Flags, clock: () => number = Date.now) {
    this.#store = store;
    this.#defaults = defaults;
    this.#known = defaults;
    this.#clock = clock;
  }

  async read(): Promise<Flags> {
    if (this.#clock() - this.#readAt < POLL_MS) return this.#known;
    this.#readAt = this.#clock();
    const text = await this.#store.get(FLAGS_KEY).catch(() => null);
    if (text === null) return this.#known;
    this.#known = { ...this.#defaults, ...(text === undefined ? {} : parsed(text)) };
    return this.#known;
  }
}

/** Sets flags for all processes; each sees them within 30 s. */
export async function setFlags(store: HotStore, change: Partial<Flags>): Promise<void> {
  const before = await store.get(FLAGS_KEY);
  await store.set(FLAGS_KEY, JSON.stringify({ ...(before === undefined ? {} : parsed(before)), ...change }));
}

function parsed(text: string): Partial<Flags> {
  try {
    return flags.partial().parse(JSON.parse(text)) as Partial<Flags>;
  } catch {
    return {};
  }
}
