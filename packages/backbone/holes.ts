type Range = { from: number; to: number; missedAt: bigint | undefined };

/**
 * Numbers of an outbox that were passed over and may still appear, as ranges: one transaction with a hundred thousand
 * events leaves one hole, not as many. Each range knows where transaction numbers stood when it was missed.
 */
export class Holes {
  /** In order, never touching each other's numbers. */
  #ranges: Range[] = [];

  /** How many ranges there are. */
  get size(): number {
    return this.#ranges.length;
  }

  /** As PostgreSQL's int8multirange. */
  toString(): string {
    return `{${this.#ranges.map(({ from, to }) => `[${from},${to}]`).join()}}`;
  }

  /** Adds numbers that are in no hole yet. */
  add(from: number, to: number, missedAt: bigint | undefined): void {
    if (from > to) return;
    this.#ranges.splice(this.#firstEndingAt(from), 0, { from, to, missedAt });
  }

  /** The number appeared. */
  delete(seq: number): void {
    const place = this.#firstEndingAt(seq);
    const range = this.#ranges[place];
    if (range === undefined || range.from > seq) return;
    const { from, to, missedAt } = range;
    const rest = [
      { from, to: seq - 1, missedAt },
      { from: seq + 1, to, missedAt },
    ].filter(part => part.from <= part.to);
    this.#ranges.splice(place, 1, ...rest);
  }

  has(seq: number): boolean {
    const range = this.#ranges[this.#firstEndingAt(seq)];
    return range !== undefined && range.from <= seq;
  }

  /** Forgets what no transaction can fill any more: all that ran when it was missed are below `oldest`. */
  settle(oldest: bigint, next: bigint | undefined): void {
    for (const range of this.#ranges) range.missedAt ??= next;
    this.#ranges = this.#ranges.filter(({ missedAt }) => missedAt === undefined || missedAt > oldest);
  }

  #firstEndingAt(seq: number): number {
    let [low, high] = [0, this.#ranges.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#ranges[middle] as Range).to < seq) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
