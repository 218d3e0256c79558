/** A promise that somebody else fires: how tests wait for a moment instead of for a time. */
export type Signal<T> = { promise: Promise<T>; fire(value: T): void; fail(error: unknown): void };

/** Makes a signal; firing it twice has no further effect. */
export function signal<T = void>(): Signal<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  return { promise, fire: resolve, fail: reject };
}

/**
 * Waits until `check` gives something truthy and returns it. The only polling wait tests may use: it ends with the
 * condition, not with a guess, and fails by name when the condition never comes.
 */
export async function waitUntil<T>(
  what: string,
  check: () => T | Promise<T>,
  options: { timeoutMs?: number } = {},
): Promise<NonNullable<T>> {
  const deadline = performance.now() + (options.timeoutMs ?? 20_000);
  for (let pause = 2; ; pause = Math.min(pause * 2, 100)) {
    const found = await check();
    if (found) return found as NonNullable<T>;
    if (performance.now() > deadline) throw new Error(`waited in vain until ${what}`);
    await new Promise(resolve => setTimeout(resolve, pause));
  }
}
