import { randomInt, randomUUID } from 'node:crypto';

/** A key as a vendor keeps it. */
export type SimulatedKey = {
  readonly id: string;
  /** The name we gave it. */
  readonly name: string;
  readonly lock: string;
  code: string;
  from: Date;
  until: Date;
  isAsleep: boolean;
  /** When it first opened the door. */
  usedAt: Date | null;
};

/** A lock on a door. */
export type SimulatedLock = {
  readonly reference: string;
  readonly account: string;
  /** The vendor's cloud reaches it. */
  isOnline: boolean;
  battery: number;
  /** What the lock itself knows: codes of locks out of reach live on after the vendor forgot them. */
  readonly keys: Map<string, SimulatedKey>;
};

const DAY_MS = 86_400_000;

/** What a maker of locks knows and what his locks do, without any protocol. A lock belongs to whoever names it first. */
export class SimulatedLocks {
  readonly locks = new Map<string, SimulatedLock>();
  /** What the vendor's cloud knows, by id. */
  readonly keys = new Map<string, SimulatedKey>();
  /** Codes that nobody used within a day of their start are suspended by the lock. */
  readonly #diesUnused: boolean;
  #lastId = 7_740_000;

  constructor({ diesUnused = false }: { diesUnused?: boolean } = {}) {
    this.#diesUnused = diesUnused;
  }

  /** The lock of an account; undefined: it is somebody else's. */
  lock(account: string, reference: string): SimulatedLock | undefined {
    let lock = this.locks.get(reference);
    if (lock === undefined) {
      lock = { reference, account, isOnline: true, battery: 87, keys: new Map() };
      this.locks.set(reference, lock);
    }
    return lock.account === account ? lock : undefined;
  }

  /** The keys of a name, oldest first. */
  named(name: string): SimulatedKey[] {
    return [...this.keys.values()].filter(key => key.name === name);
  }

  /** Makes a key. Without `code` it gets random digits. */
  issue(
    lock: SimulatedLock,
    wanted: { name: string; from: Date; until: Date; code?: string; id?: string },
  ): SimulatedKey {
    const { name, from, until, code = digits(6), id = String(++this.#lastId) } = wanted;
    const key = { id, name, lock: lock.reference, code, from, until, isAsleep: false, usedAt: null };
    this.keys.set(id, key);
    lock.keys.set(id, key);
    return key;
  }

  /** The vendor forgets a key; its lock does so only when it can be reached. True: the lock has heard of it. */
  remove(key: SimulatedKey): boolean {
    this.keys.delete(key.id);
    const lock = this.locks.get(key.lock);
    if (lock?.isOnline !== true) return false;
    lock.keys.delete(key.id);
    return true;
  }

  /** Somebody stands at the door with a code. The lock decides alone, as locks do. */
  opens(reference: string, code: string, at: Date): boolean {
    for (const key of this.locks.get(reference)?.keys.values() ?? []) {
      if (key.code !== code || key.isAsleep || at < key.from || at >= key.until) continue;
      const isDead = this.#diesUnused && key.usedAt === null && at.getTime() > key.from.getTime() + DAY_MS;
      if (isDead) continue;
      key.usedAt ??= at;
      return true;
    }
    return false;
  }

  /** How many keys of a name would open its lock at this moment. */
  live(name: string, at: Date): number {
    const all = [...this.locks.values()].flatMap(lock => [...lock.keys.values()]);
    return all.filter(key => key.name === name && !key.isAsleep && at >= key.from && at < key.until).length;
  }
}

/** So many random digits. */
export function digits(length: number): string {
  return String(randomInt(10 ** length)).padStart(length, '0');
}

/** An id as cloud services have them. */
export function cloudId(): string {
  return randomUUID();
}
