import { randomUUID } from 'node:crypto';
import { keyPart } from './key-text.ts';
import type { HotStore } from './port.ts';

/** Longer than any entry may live; a mark that goes earlier (evicted, flushed) costs a reload, never a stale read. */
const MARK_TTL_MS = 40 * 86_400_000;

/** Marks remembered in this process; beyond it the oldest are asked for again. */
const MAX_KNOWN = 20_000;

/**
 * A random mark per tag. Invalidating a tag replaces its mark, and every entry that was loaded under the old one is
 * dead at once, wherever it is: one write, no list of keys, no comparison of clocks between machines.
 *
 * (bentocache's own tags compare the time at which an entry was written with the time of the invalidation. A load that
 * began before an invalidation and ended after it would pass, and so would everything once the LRU evicts the tag.)
 */
export class Generations {
  readonly #store: HotStore;
  readonly #prefix: string;
  readonly #known = new Map<string, string>();
  #changes = 0;

  constructor(store: HotStore, prefix: string) {
    this.#store = store;
    this.#prefix = prefix;
  }

  /** By what this process knows, without asking: false also when it does not know. */
  matchesKnown(generations: Readonly<Record<string, string>>): boolean {
    return Object.entries(generations).every(([tag, mark]) => this.#known.get(tag) === mark);
  }

  /** By what the store says now. */
  async matches(generations: Readonly<Record<string, string>>): Promise<boolean> {
    const marks = await this.#read(Object.keys(generations));
    return Object.entries(generations).every(([tag, mark]) => marks.get(tag) === mark);
  }

  /** The present marks, for a load that is about to begin; tags without one get one. */
  async present(tags: readonly string[]): Promise<Record<string, string>> {
    const marks = await this.#read(tags);
    for (const tag of tags) if (!marks.has(tag)) marks.set(tag, await this.#create(tag));
    return Object.fromEntries(marks);
  }

  /** Kills every entry that carries one of the tags; this process and the others have to `forget` them afterwards. */
  async renew(tags: readonly string[]): Promise<void> {
    await Promise.all(tags.map(tag => this.#store.set(this.#key(tag), randomUUID(), { ttlMs: MARK_TTL_MS })));
  }

  forget(tags: readonly string[]): void {
    this.#changes++;
    for (const tag of tags) this.#known.delete(tag);
  }

  forgetAll(): void {
    this.#changes++;
    this.#known.clear();
  }

  async #read(tags: readonly string[]): Promise<Map<string, string>> {
    const before = this.#changes;
    const marks = await this.#store.getMany(tags.map(tag => this.#key(tag)));
    const found = new Map<string, string>();
    for (const [at, tag] of tags.entries()) {
      const mark = marks[at];
      if (mark === undefined) continue;
      found.set(tag, mark);
      this.#remember(tag, mark, before);
    }
    return found;
  }

  async #create(tag: string): Promise<string> {
    const before = this.#changes;
    const made = randomUUID();
    const isOurs = await this.#store.setIfAbsent(this.#key(tag), made, { ttlMs: MARK_TTL_MS });
    const mark = isOurs ? made : ((await this.#store.get(this.#key(tag))) ?? made); // gone again: nobody will match it
    this.#remember(tag, mark, before);
    return mark;
  }

  /** Unless anything was invalidated while we asked: then the answer may be the old mark, good only for who asked. */
  #remember(tag: string, mark: string, changesBefore: number): void {
    if (this.#changes !== changesBefore) return;
    this.#known.set(tag, mark);
    const oldest = this.#known.size > MAX_KNOWN ? this.#known.keys().next() : undefined;
    if (oldest?.value !== undefined) this.#known.delete(oldest.value);
  }

  #key(tag: string): string {
    return `${this.#prefix}:${keyPart(tag)}`;
  }
}
