/** Numbers that are the same in every run: two runs ask the same things in the same order. */
export type Chance = {
  /** In [0, 1). */
  share(): number;
  /** One of them, by weight. */
  weighted<T>(of: readonly (readonly [T, number])[]): T;
  pick<T>(of: readonly T[]): T;
};

/** Mulberry32: small, fast, and good enough to spread requests. */
export function chanceOf(seed: number): Chance {
  let state = seed >>> 0;
  const share = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    share,
    weighted(of) {
      let left = share() * of.reduce((sum, [, weight]) => sum + weight, 0);
      const found = of.find(([, weight]) => {
        left -= weight;
        return left < 0;
      });
      const chosen = found ?? of.at(-1); // rounding may leave a little over
      if (chosen === undefined) throw new RangeError('nothing to choose from');
      return chosen[0];
    },
    pick(of) {
      if (of.length === 0) throw new RangeError('nothing to choose from');
      return of[Math.floor(share() * of.length)] as (typeof of)[number];
    },
  };
}
