/** The sortable part of a UUIDv7: a millisecond and a counter inside it. */
export type Tick = { readonly ms: number; readonly count: number };

/** 12 bits of rand_a and the first 30 of rand_b; the last 32 bits of a uuid stay random. */
const COUNT_END = 2 ** 42;

/**
 * The tick after `last`, always larger: a new millisecond starts at a random count, a repeated one or a clock that
 * went back counts on, and a full counter borrows the next millisecond. `random` gives 32 random bits.
 */
export function nextTick(last: Tick, nowMs: number, random: () => number): Tick {
  if (nowMs > last.ms) {
    // 41 of the 42 bits: at least 2^33 steps fit before a millisecond has to be borrowed.
    return { ms: nowMs, count: random() * 2 ** 9 + (random() >>> 23) };
  }
  // A step of 1 to 256, so that the neighbour of an id cannot be guessed from its count.
  const count = last.count + 1 + (random() >>> 24);
  return count < COUNT_END ? { ms: last.ms, count } : { ms: last.ms + 1, count: count - COUNT_END };
}
