/** What a lane needs to know of a message. */
export type Item = {
  readonly tenantId: string;
  readonly off: number;
  readonly shard: number;
  /** What it weighs; a message without one weighs nothing. */
  readonly envelope?: string;
};

type Lane<T> = {
  readonly tenant: Tenant<T>;
  readonly number: number;
  items: T[];
  /** The last offset of the batch it is busy with. */
  busyUpTo: number | undefined;
};
type Tenant<T> = {
  readonly id: string;
  readonly lanes: Lane<T>[];
  waiting: number;
  /** Characters of what waits. */
  weight: number;
  inFlight: number;
  /** Messages above this offset were seen and not kept; they are read again when there is room. */
  spilledFrom: number | undefined;
};

/** A batch taken from a lane; give it back with `finish`. `isFlood`: among others, its tenant floods. */
export type Batch<T> = {
  readonly tenantId: string;
  readonly items: readonly T[];
  readonly lanes: unknown;
  readonly isFlood: boolean;
};

/** Among others, a tenant that has more than this waiting floods; it goes in pieces of a quarter. */
const A_FLOOD = 100;

/**
 * The messages of one subscription that were read and are not done: a lane per tenant and group of shards. A lane runs
 * one batch at a time, so a key (which has one tenant and one shard) keeps its order; tenants take turns, and one tenant
 * never takes every slot while another waits. A tenant that floods keeps `mostPerTenant` messages here; the rest stays
 * in the log and is read later ("spilled"), so that others behind it are reached at once. One that pauses is passed over,
 * and keeps nothing here: however many pause, there is room for the others.
 */
export class Lanes<T extends Item> {
  readonly #concurrency: number;
  readonly #maxBatch: number;
  readonly #mostPerTenant: number;
  readonly #mostWeightPerTenant: number;
  readonly #isPaused: (tenantId: string) => boolean;
  /** In turn order: a tenant moves to the end when it got its batch. */
  readonly #tenants = new Map<string, Tenant<T>>();
  #inFlight = 0;
  #held = 0;
  #weight = 0;

  constructor(options: {
    concurrency: number;
    maxBatch: number;
    mostPerTenant: number;
    /** Characters; default: as many as there are. */
    mostWeightPerTenant?: number;
    /** Nothing of this tenant may be tried now. Default: never. */
    isPaused?: (tenantId: string) => boolean;
  }) {
    this.#concurrency = options.concurrency;
    this.#maxBatch = options.maxBatch;
    this.#mostPerTenant = options.mostPerTenant;
    this.#mostWeightPerTenant = options.mostWeightPerTenant ?? Number.POSITIVE_INFINITY;
    this.#isPaused = options.isPaused ?? (() => false);
  }

  /** Messages held, in flight included. */
  get held(): number {
    return this.#held;
  }

  /** Characters of messages held, in flight included. */
  get weight(): number {
    return this.#weight;
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  /** Keeps a message, or notes that its tenant has no room. Messages of a tenant come in the order of their offsets. */
  add(item: T): void {
    const tenant = this.#tenantOf(item.tenantId);
    if (tenant.spilledFrom !== undefined) return;
    const { waiting, weight, id } = tenant;
    if (waiting >= this.#mostPerTenant || weight >= this.#mostWeightPerTenant || this.#keepsNothing(id)) {
      tenant.spilledFrom = item.off - 1;
      return;
    }
    this.#keep(tenant, item);
  }

  /** Notes that a message was seen and not read. */
  spill(tenantId: string, off: number): void {
    this.#tenantOf(tenantId).spilledFrom ??= off - 1;
  }

  /** Gives back to the log what waits of a tenant that pauses, as far as nothing above it is in flight. */
  setAside(tenantId: string): void {
    const tenant = this.#tenants.get(tenantId);
    if (tenant === undefined || !this.#keepsNothing(tenantId)) return;
    const upTo = Math.max(-1, ...tenant.lanes.map(lane => lane.busyUpTo ?? -1));
    const left = tenant.lanes.flatMap(({ items }) => items.filter(({ off }) => off > upTo));
    for (const lane of tenant.lanes) lane.items = lane.items.filter(({ off }) => off <= upTo);
    this.#release(tenant, left);
    for (const { off } of left) tenant.spilledFrom = Math.min(tenant.spilledFrom ?? off, off - 1);
  }

  /**
   * Spilled tenants that have room again, and from where to read them. Among others (`shared`) a flood has little room: it
   * goes slowly then, and more would only lie in memory.
   */
  hungry({ shared = false } = {}): { tenantId: string; after: number }[] {
    const found = [];
    const few = shared ? this.#flood : this.#mostPerTenant * 0.75;
    const light = this.#mostWeightPerTenant * 0.75;
    for (const { id, spilledFrom, waiting, weight } of this.#tenants.values()) {
      if (spilledFrom !== undefined && waiting <= few && weight <= light && !this.#isPaused(id))
        found.push({ tenantId: id, after: spilledFrom });
    }
    return found;
  }

  /**
   * What was read of a spilled tenant from `after` on; `upTo` is how far that reading looked, `scanned` how far the main one
   * has. Nothing is taken of a tenant that pauses by now, or has paused meanwhile and left more in the log.
   */
  refill(
    { tenantId, after }: { tenantId: string; after: number },
    items: readonly T[],
    { upTo, scanned }: { upTo: number; scanned: number },
  ): void {
    const tenant = this.#tenants.get(tenantId);
    if (tenant === undefined || tenant.spilledFrom !== after || this.#keepsNothing(tenantId)) return;
    for (const item of items) this.#keep(tenant, item);
    tenant.spilledFrom = upTo >= scanned ? undefined : upTo;
    this.#forget(tenant);
  }

  /** Tenants whose messages are read by `refill` and not by the main reader. */
  spilled(): string[] {
    const found = [];
    for (const { id, spilledFrom } of this.#tenants.values()) if (spilledFrom !== undefined) found.push(id);
    return found;
  }

  /**
   * The next batch that may run now, or undefined: `most` messages of the lane that waits longest, or no more than
   * `together` of it and other lanes of its tenant, or of all its lanes where `few` wait. Among others (`shared`), a tenant
   * that floods has one at a time, and a small one.
   */
  take({ few = 0, together = 0, most = this.#maxBatch, shared = false } = {}): Batch<T> | undefined {
    if (this.#inFlight >= this.#concurrency) return undefined;
    for (const tenant of this.#tenants.values()) {
      if (tenant.waiting === 0 || this.#isPaused(tenant.id) || this.#hasItsShare(tenant, shared)) continue;
      const isFlood = shared && this.#floods(tenant);
      const limit = isFlood ? Math.ceil(this.#flood / 4) : Math.min(most, this.#maxBatch);
      const several = Math.min(tenant.waiting <= few ? few : together, limit);
      const lanes = longestWaiting(tenant, isFlood ? 0 : several);
      if (lanes.length === 0) continue;
      this.#tenants.delete(tenant.id);
      this.#tenants.set(tenant.id, tenant);
      const waiting = lanes.flatMap(lane => lane.items);
      if (lanes.length > 1) waiting.sort((a, b) => a.off - b.off);
      const items = waiting.slice(0, limit);
      for (const lane of lanes) lane.busyUpTo = items.at(-1)?.off;
      tenant.inFlight++;
      this.#inFlight++;
      return { tenantId: tenant.id, items, lanes, isFlood };
    }
    return undefined;
  }

  /** Ends a batch. `kept` is how many of its last messages stay at the front of their lane, to be tried again. */
  finish(batch: Batch<T>, kept = 0): void {
    const lanes = batch.lanes as Lane<T>[];
    const done = new Set(batch.items.slice(0, batch.items.length - kept));
    for (const lane of lanes) {
      lane.items = lane.items.filter(item => !done.has(item));
      lane.busyUpTo = undefined;
    }
    const { tenant } = lanes[0] as Lane<T>;
    this.#release(tenant, [...done]);
    tenant.inFlight--;
    this.#inFlight--;
    this.setAside(tenant.id);
    this.#forget(tenant);
  }

  /** Everything up to this offset is done; `scanned` is how far the main reader looked. */
  lowWater(scanned: number): number {
    let low = scanned;
    for (const tenant of this.#tenants.values()) {
      if (tenant.spilledFrom !== undefined) low = Math.min(low, tenant.spilledFrom);
      for (const lane of tenant.lanes) {
        const first = lane.items[0];
        if (first !== undefined) low = Math.min(low, first.off - 1);
      }
    }
    return low;
  }

  #hasItsShare(tenant: Tenant<T>, shared: boolean): boolean {
    if (shared && tenant.inFlight > 0 && this.#floods(tenant)) return true;
    return this.#concurrency > 1 && tenant.inFlight >= this.#concurrency - 1;
  }

  #floods({ waiting, spilledFrom }: Tenant<T>): boolean {
    return waiting > this.#flood || spilledFrom !== undefined;
  }

  get #flood(): number {
    return Math.min(A_FLOOD, this.#maxBatch);
  }

  #keep(tenant: Tenant<T>, item: T): void {
    tenant.lanes[item.shard % tenant.lanes.length]?.items.push(item);
    tenant.waiting++;
    this.#held++;
    const weight = weightOf(item);
    tenant.weight += weight;
    this.#weight += weight;
  }

  #release(tenant: Tenant<T>, items: readonly T[]): void {
    const weight = items.reduce((sum, item) => sum + weightOf(item), 0);
    tenant.waiting -= items.length;
    tenant.weight -= weight;
    this.#held -= items.length;
    this.#weight -= weight;
  }

  /** Where a tenant may have any number of messages here, they cannot be read again. */
  #keepsNothing(tenantId: string): boolean {
    return Number.isFinite(this.#mostPerTenant) && this.#isPaused(tenantId);
  }

  #tenantOf(id: string): Tenant<T> {
    let tenant = this.#tenants.get(id);
    if (tenant === undefined) {
      const made: Tenant<T> = { id, lanes: [], waiting: 0, weight: 0, inFlight: 0, spilledFrom: undefined };
      for (let number = 0; number < Math.min(this.#concurrency, 16); number++)
        made.lanes.push({ tenant: made, number, items: [], busyUpTo: undefined });
      this.#tenants.set(id, made);
      tenant = made;
    }
    return tenant;
  }

  /** A quiet tenant costs nothing. */
  #forget(tenant: Tenant<T>): void {
    if (tenant.waiting === 0 && tenant.inFlight === 0 && tenant.spilledFrom === undefined)
      this.#tenants.delete(tenant.id);
  }
}

/** The free lane with the oldest message, and the next ones as long as all have no more than `together`. */
function longestWaiting<T extends Item>(tenant: Tenant<T>, together: number): Lane<T>[] {
  const free = tenant.lanes.filter(lane => lane.busyUpTo === undefined && lane.items.length > 0);
  free.sort((a, b) => oldest(a) - oldest(b));
  let count = 0;
  const tooMany = free.findIndex((lane, place) => {
    count += lane.items.length;
    return place > 0 && count > together;
  });
  return tooMany === -1 ? free : free.slice(0, tooMany);
}

const oldest = <T extends Item>({ items }: Lane<T>) => items[0]?.off ?? 0;

const weightOf = ({ envelope }: Item) => envelope?.length ?? 0;
