/** Time under the test's control. */
export type FakeClock = { now(): Date; advance(ms: number): Date; set(to: Date): void };

/** A clock that stands still until told otherwise; it may also go back, as real ones do. */
export function fakeClock(start: Date | string): FakeClock {
  let at = new Date(start).getTime();
  return {
    now: () => new Date(at),
    advance(ms) {
      at += ms;
      return new Date(at);
    },
    set(to) {
      at = to.getTime();
    },
  };
}
