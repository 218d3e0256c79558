import { createHash } from 'node:crypto';
import { type Id, idFromUuid } from '@ghasi/domain-primitives/ids';
import type { Prefix } from '@ghasi/domain-primitives/naming';

/** Chance that falls the same way every time it begins with the same words. */
export type Chance = {
  /** From 0 up to, not including, 1. */
  share(): number;
  /** True in so many of a hundred cases. */
  percent(of: number): boolean;
  /** A whole number of a range, both ends included. */
  int(from: number, to: number): number;
  pick<T>(from: readonly T[]): T;
  /** One of some values, each as likely as its weight says. */
  weighted<T>(from: readonly (readonly [value: T, weight: number])[]): T;
  /** The same things in another order. */
  shuffled<T>(things: readonly T[]): T[];
};

/** Begins a run of chance. */
export function chance(words: string): Chance {
  let state = createHash('sha256').update(words).digest().readUInt32LE(0);
  // Mulberry32: plenty for a demo or a load, and the same on every machine.
  const share = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const int = (from: number, to: number) => from + Math.floor(share() * (to - from + 1));
  const pick = <T>(from: readonly T[]) => from[int(0, from.length - 1)] as T;
  return {
    share,
    percent: of => share() * 100 < of,
    int,
    pick,
    weighted(from) {
      let left = share() * from.reduce((sum, [, weight]) => sum + weight, 0);
      const found = from.find(([, weight]) => {
        left -= weight;
        return left < 0;
      });
      return (found ?? from[0])?.[0] as (typeof from)[number][0];
    },
    shuffled(things) {
      const mixed = [...things];
      for (let last = mixed.length - 1; last > 0; last -= 1) {
        const other = int(0, last);
        [mixed[last], mixed[other]] = [mixed[other] as never, mixed[last] as never];
      }
      return mixed;
    },
  };
}

/** An id as if it had been made at that moment; the same words make the same one, so that all services agree on it. */
export function idAt<P extends Prefix>(prefix: P, at: Date, words: string): Id<P> {
  const tail = createHash('sha256').update(`${prefix} ${words}`).digest('hex');
  const time = at.getTime().toString(16).padStart(12, '0');
  const variant = (8 + (Number.parseInt(tail.slice(0, 1), 16) % 4)).toString(16);
  const parts = [time.slice(0, 8), time.slice(8), `7${tail.slice(1, 4)}`, variant + tail.slice(4, 7)];
  return idFromUuid(prefix, `${parts.join('-')}-${tail.slice(7, 19)}`);
}
