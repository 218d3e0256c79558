import type { HotLog } from '../observe.ts';
import type { Unsubscribe } from '../port.ts';

/** Message handlers by channel: the bus inside one process, and the local end of the one over Redis. */
export class Subscribers {
  readonly #handlers = new Map<string, Set<Handler>>();
  readonly #log: HotLog | undefined;

  constructor(log: HotLog | undefined) {
    this.#log = log;
  }

  get channels(): string[] {
    return [...this.#handlers.keys()];
  }

  /** `onEmpty` runs when the last handler of the channel is gone. */
  add(channel: string, handler: Handler, onEmpty: () => Promise<unknown> = async () => {}): Unsubscribe {
    const handlers = this.#handlers.get(channel) ?? new Set();
    this.#handlers.set(channel, handlers.add(handler));
    return async () => {
      if (!handlers.delete(handler) || handlers.size > 0) return;
      this.#handlers.delete(channel);
      await onEmpty();
    };
  }

  /** A handler that throws is logged and does not keep the message from the others. */
  deliver(channel: string, message: string): void {
    for (const { onMessage } of this.#handlers.get(channel) ?? []) {
      void this.#safely(channel, () => onMessage(message));
    }
  }

  tellGap(): void {
    for (const [channel, handlers] of this.#handlers) {
      for (const { onGap } of handlers) if (onGap !== undefined) void this.#safely(channel, onGap);
    }
  }

  clear(): void {
    this.#handlers.clear();
  }

  /** Calls at once; a handler may be async, and what it rejects with later is heard here and by nobody else. */
  async #safely(channel: string, work: () => unknown): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#log?.error({ err: error, channel }, 'a subscriber of the hot store threw');
    }
  }
}

type Handler = { onMessage: (message: string) => void; onGap?: (() => void) | undefined };
