import type { Database } from '@ghasi/db/database';
import type { Logger } from '@ghasi/telemetry/logger';
import { FloodReader } from './flood-reader.ts';
import type { Group } from './group.ts';

/** How many rows are read at once. A page takes Node a few milliseconds, so beside others a flood is read in small ones. */
const PAGE = { alone: 1_000, besideOthers: 50 };

/** What it needs to know: where to read, and all groups of this process. */
export type RefillingOptions = {
  readonly db: Database;
  readonly log?: Logger;
  groups(): readonly Group[];
};

/** Beside the reading of the log: what a flood left there must not hold up those behind it. */
export class Refilling {
  readonly #options: RefillingOptions;
  readonly #reader: FloodReader;
  readonly #running = new Map<Group, Promise<void>>();
  #stopped = false;

  constructor(options: RefillingOptions) {
    this.#options = options;
    this.#reader = new FloodReader(options.db);
  }

  /** Reads for this group, in the background, while it has room for tenants that were left out. */
  start(group: Group): void {
    if (this.#running.has(group) || group.hungry().length === 0) return;
    const refill = this.#refill(group)
      .catch(error => this.#options.log?.warn({ err: error }, 'the log could not be read; trying again'))
      .finally(() => this.#running.delete(group));
    this.#running.set(group, refill);
  }

  /** What was read is read again: the log may be another one. */
  forget(): void {
    this.#reader.forgetAll();
  }

  /** Waits for what is being read, and reads no more. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all(this.#running.values());
  }

  async #refill(group: Group): Promise<void> {
    for (let all = group.hungry(); all.length > 0 && !this.#stopped; all = group.hungry()) {
      for (const hungry of all) {
        const { tenantId, after, shared } = hungry;
        const limit = shared ? PAGE.besideOthers : PAGE.alone;
        const topics = topicsOf(this.#withFlood(tenantId));
        const found = await this.#reader.read({ tenantId, after, upTo: group.position.off, topics, limit });
        group.refill(hungry, found.rows, found.upTo);
        group.dispatch();
        if (this.#withFlood(tenantId).length === 0) this.#reader.forget(tenantId);
      }
    }
  }

  /** The groups that left messages of this tenant in the log. */
  #withFlood(tenantId: string): Group[] {
    return this.#options.groups().filter(group => group.spilled().includes(tenantId));
  }
}

/** What some groups want to read. */
export function topicsOf(groups: readonly Group[]): Set<string> {
  return new Set(groups.flatMap(({ subscriber }) => subscriber.topics));
}
