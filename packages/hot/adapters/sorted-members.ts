import type { Due } from '../port.ts';

/** Place of one member in the map and in the array, besides its text. */
const OVERHEAD_BYTES = 128;

/** Members in order of score. Insertion moves the array's tail, which beats a tree up to about 100,000 members. */
export class SortedMembers {
  readonly #scores = new Map<string, number>();
  readonly #order: Due[] = [];
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  get isEmpty(): boolean {
    return this.#order.length === 0;
  }

  /** Bytes that `add` would need on top. */
  growth(member: string): number {
    return this.#scores.has(member) ? 0 : Buffer.byteLength(member) + OVERHEAD_BYTES;
  }

  add(member: string, score: number): void {
    this.remove(member);
    this.#bytes += this.growth(member);
    this.#scores.set(member, score);
    this.#order.splice(this.#positionOf(score, member), 0, { member, score });
  }

  remove(member: string): boolean {
    const score = this.#scores.get(member);
    if (score === undefined) return false;
    this.#order.splice(this.#positionOf(score, member), 1);
    this.#scores.delete(member);
    this.#bytes -= this.growth(member);
    return true;
  }

  upTo(score: number, limit: number): Due[] {
    const due: Due[] = [];
    for (const entry of this.#order) {
      if (entry.score > score || due.length >= limit) break;
      due.push({ ...entry });
    }
    return due;
  }

  /** Where (score, member) is or belongs. */
  #positionOf(score: number, member: string): number {
    let low = 0;
    let high = this.#order.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const entry = this.#order[middle] as Due;
      if (entry.score < score || (entry.score === score && entry.member < member)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
