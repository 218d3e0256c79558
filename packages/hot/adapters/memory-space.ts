/** Milliseconds since 1970. */
export type Clock = () => number;

type Cell<T> = { value: T; bytes: number; expiresAt: number };

/** What one entry costs besides its key and value; a rough figure for Map, strings and the cell. */
const OVERHEAD_BYTES = 96;

/** Expired entries that nobody asks for leave at the latest this long after the last sweep, if there is any write. */
const SWEEP_EVERY_MS = 30_000;

/**
 * A bounded map with expiry. When there is no room it either refuses (`put` gives false) or forgets what was used
 * longest ago: a JavaScript Map keeps insertion order, so the first key is the oldest.
 */
export class MemorySpace<T> {
  readonly #cells = new Map<string, Cell<T>>();
  readonly #maxBytes: number;
  readonly #evicts: boolean;
  readonly #clock: Clock;
  #usedBytes = 0;
  #evicted = 0;
  #sweptAt: number;

  constructor(options: { maxBytes: number; evicts: boolean; clock: Clock }) {
    this.#maxBytes = options.maxBytes;
    this.#evicts = options.evicts;
    this.#clock = options.clock;
    this.#sweptAt = options.clock();
  }

  get usage(): { usedBytes: number; limitBytes: number; evicted: number } {
    return { usedBytes: this.#usedBytes, limitBytes: this.#maxBytes, evicted: this.#evicted };
  }

  get(key: string): T | undefined {
    const cell = this.#live(key);
    if (cell === undefined) return undefined;
    if (this.#evicts) {
      this.#cells.delete(key);
      this.#cells.set(key, cell);
    }
    return cell.value;
  }

  expiresAt(key: string): number | undefined {
    return this.#live(key)?.expiresAt;
  }

  /** False when there is no room; the old value, if any, then stays. `sizeBytes` is the value's own size. */
  put(key: string, value: T, { sizeBytes, expiresAt }: { sizeBytes: number; expiresAt: number }): boolean {
    const bytes = Buffer.byteLength(key) + sizeBytes + OVERHEAD_BYTES;
    if (this.#clock() - this.#sweptAt >= SWEEP_EVERY_MS) this.#sweep();
    if (!this.#makeRoom(key, bytes)) return false;
    this.delete(key);
    this.#cells.set(key, { value, bytes, expiresAt });
    this.#usedBytes += bytes;
    return true;
  }

  setExpiry(key: string, expiresAt: number): boolean {
    const cell = this.#live(key);
    if (cell !== undefined) cell.expiresAt = expiresAt;
    return cell !== undefined;
  }

  delete(key: string): boolean {
    const cell = this.#live(key);
    if (cell !== undefined) this.#drop(key, cell);
    return cell !== undefined;
  }

  /** How many live entries went. */
  deleteWhere(applies: (key: string) => boolean): number {
    return [...this.#cells.keys()].filter(applies).filter(key => this.delete(key)).length;
  }

  clear(): void {
    this.#cells.clear();
    this.#usedBytes = 0;
  }

  #live(key: string): Cell<T> | undefined {
    const cell = this.#cells.get(key);
    if (cell === undefined || cell.expiresAt > this.#clock()) return cell;
    this.#drop(key, cell);
    return undefined;
  }

  #drop(key: string, cell: Cell<T>): void {
    this.#cells.delete(key);
    this.#usedBytes -= cell.bytes;
  }

  #makeRoom(key: string, bytes: number): boolean {
    const free = () => this.#maxBytes - this.#usedBytes + (this.#cells.get(key)?.bytes ?? 0);
    if (bytes <= free()) return true;
    if (bytes > this.#maxBytes) return false;
    this.#sweep();
    if (!this.#evicts) return bytes <= free();
    for (const [oldest, cell] of this.#cells) {
      if (bytes <= free()) break;
      if (oldest === key) continue; // about to be replaced; its bytes already count as free
      this.#drop(oldest, cell);
      this.#evicted++;
    }
    return true;
  }

  #sweep(): void {
    this.#sweptAt = this.#clock();
    for (const [key, cell] of this.#cells) if (cell.expiresAt <= this.#sweptAt) this.#drop(key, cell);
  }
}
