import { isUnder } from './cache-key.ts';

/** Something that is on its way from the store or the database; `overtaken` means it was invalidated meanwhile. */
export type Passage = { readonly key: string; readonly tags: readonly string[]; overtaken: boolean };

/**
 * Everything this process is fetching right now. An invalidation that arrives while a value is on its way marks it, so
 * that it is neither kept in memory nor handed to callers who came later.
 */
export class Inflight {
  readonly #passages = new Set<Passage>();

  begin(key: string, tags: readonly string[] = []): Passage {
    const passage = { key, tags, overtaken: false };
    this.#passages.add(passage);
    return passage;
  }

  end(passage: Passage): void {
    this.#passages.delete(passage);
  }

  overtakeKey(key: string): void {
    this.#overtake(passage => passage.key === key);
  }

  overtakePrefix(prefix: string): void {
    this.#overtake(passage => isUnder(passage.key, prefix));
  }

  overtakeTags(tags: readonly string[]): void {
    this.#overtake(passage => passage.tags.some(tag => tags.includes(tag)));
  }

  overtakeAll(): void {
    this.#overtake(() => true);
  }

  #overtake(applies: (passage: Passage) => boolean): void {
    for (const passage of this.#passages) if (applies(passage)) passage.overtaken = true;
  }
}
