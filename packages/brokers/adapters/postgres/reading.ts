import type { Database } from '@ghasi/db/database';
import type { Logger } from '@ghasi/telemetry/logger';
import type { Group } from './group.ts';
import { type LogRow, lightPage, type Page, readPage } from './log-reader.ts';
import { type Refilling, topicsOf } from './refilling.ts';

const PAGE = 500;
const LAST_ROWS = 50;

/** What it needs to know: where to read, all groups of this process, and who reads what they leave out. */
export type ReadingOptions = {
  readonly db: Database;
  readonly log?: Logger;
  readonly refilling: Refilling;
  groups(): readonly Group[];
  /** The log ends before these groups: another server has taken over, which lacks the end that they have read. */
  onPastEnd(groups: readonly Group[]): void;
};

/** Reads the log once for all groups of this process, as soon as somebody says that there is something. */
export class Reading {
  readonly #options: ReadingOptions;
  #pumping: Promise<void> | undefined;
  #wanted = false;
  #stopped = false;
  /** They tell how heavy the next ones may be. */
  #lastRows: readonly LogRow[] = [];
  /** Groups that read past what is not for them, beside the others. */
  readonly #farBehind = new Map<Group, Promise<unknown>>();

  constructor(options: ReadingOptions) {
    this.#options = options;
  }

  /** There may be something new in the log. Cheap: calls while a read runs become one more read. */
  wake(): void {
    this.#wanted = true;
    if (this.#stopped || this.#pumping !== undefined) return;
    this.#pumping = this.#pump().finally(() => {
      this.#pumping = undefined;
      if (this.#wanted && !this.#stopped) setImmediate(() => this.wake());
    });
  }

  /** Waits for what is being read, and reads no more. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#pumping;
    await Promise.all(this.#farBehind.values());
  }

  async #pump(): Promise<void> {
    while (this.#wanted && !this.#stopped) {
      this.#wanted = false;
      const groups = this.#options.groups();
      for (const group of groups) group.dispatch();
      const hungry = groups.filter(group => !this.#farBehind.has(group) && group.wantsMore);
      // Groups that stand at the same place share one read; in quiet times that is all of them. Others wait for each other,
      // so that they come to the same place again.
      const places = Map.groupBy(hungry, group => group.position.off);
      await Promise.all([...places.values()].map(together => this.#readFor(together)));
    }
  }

  async #readFor(groups: readonly Group[]): Promise<void> {
    const page = await this.#read(groups);
    if (!page?.isMore) return;
    if (page.rows.length > 0) this.#wanted = true;
    else this.#comeUp(groups);
  }

  /** Nothing here is for these groups, and there may be millions of such rows: nobody else waits until they are past them. */
  #comeUp(groups: readonly Group[]): void {
    const reading = this.#readPast(groups).then(isPast => {
      for (const group of groups) this.#farBehind.delete(group);
      if (isPast) this.wake();
    });
    for (const group of groups) this.#farBehind.set(group, reading);
  }

  /** False when it could not be read: the next look at the log tries again. */
  async #readPast(groups: readonly Group[]): Promise<boolean> {
    while (!this.#stopped && groups.every(group => group.wantsMore)) {
      const page = await this.#read(groups);
      if (page === undefined) return false;
      if (page.rows.length > 0 || !page.isMore) break;
    }
    return true;
  }

  /** Reads on for groups that stand at the same place; undefined when that failed. */
  async #read(groups: readonly Group[]): Promise<Page | undefined> {
    const { db, log, refilling } = this.#options;
    const [first] = groups as [Group];
    const from = first.position;
    const topics = [...topicsOf(groups)];
    const without = first.spilled().filter(tenant => groups.every(group => group.spilled().includes(tenant)));
    try {
      const page = await readPage(db, from, { limit: lightPage(PAGE, this.#lastRows), topics, without });
      if (page.rows.length > 0) this.#lastRows = page.rows.slice(-LAST_ROWS);
      if (page.isPastEnd) this.#options.onPastEnd(groups);
      for (const group of groups) {
        if (group.position !== from && group.position.off !== from.off) continue; // reset meanwhile
        group.accept(page);
        group.dispatch();
        refilling.start(group);
      }
      return page;
    } catch (error) {
      log?.warn({ err: error }, 'the log could not be read; trying again');
      return undefined;
    }
  }
}
