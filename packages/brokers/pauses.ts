/** For how long, and whether only what one tenant has. */
export type Pause = { readonly forMs: number; readonly tenantId?: string };

/**
 * What a subscription must not try for a while, without counting attempts: anything, or anything of some tenants.
 * Timers measure it, and so a clock that nobody sets.
 */
export class Pauses {
  readonly #onEnd: () => void;
  /** By tenant; without one, the pause of all. */
  readonly #running = new Map<string | undefined, { endsAt: number; timer: NodeJS.Timeout }>();

  /** `onEnd`: something may be tried again. */
  constructor(onEnd: () => void) {
    this.#onEnd = onEnd;
  }

  /** One that runs already becomes longer, never shorter. */
  begin({ forMs, tenantId }: Pause): void {
    const endsAt = performance.now() + forMs;
    const before = this.#running.get(tenantId);
    if (before !== undefined && before.endsAt >= endsAt) return;
    clearTimeout(before?.timer);
    const timer = setTimeout(() => {
      this.#running.delete(tenantId);
      this.#onEnd();
    }, forMs + 1);
    this.#running.set(tenantId, { endsAt, timer: timer.unref() });
  }

  /** True while nothing at all may be tried. */
  get ofAll(): boolean {
    return this.#running.has(undefined);
  }

  /** True while this tenant pauses by itself. */
  of(tenantId: string): boolean {
    return this.#running.has(tenantId);
  }

  /** True while nothing of this tenant may be tried, for whichever reason. */
  hold(tenantId: string): boolean {
    return this.ofAll || this.of(tenantId);
  }

  /** Who pauses by itself. */
  get tenants(): string[] {
    return [...this.#running.keys()].filter(tenantId => tenantId !== undefined);
  }
}
