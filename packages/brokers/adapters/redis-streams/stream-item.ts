import { Fenced } from '../postgres/parked.ts';
import type { StreamMessage } from './stream-entry.ts';
import type { Streams } from './streams.ts';

/** A message in memory; of a long queue only the number is kept, and the rest is fetched when its turn comes. */
export type StreamItem = {
  readonly tenantId: string;
  readonly off: number;
  readonly shard: number;
  /** Characters of its envelope. */
  readonly size: number;
  readonly message: StreamMessage | undefined;
};

const MOST_WHOLE = 4_000;
const MOST_SIZE = 64 * 1_048_576; // an event may have 256 KB, and a few thousand of those do not fit into memory
const MOST_OF_A_BATCH = 4 * 1_048_576;

/** What a group keeps whole. */
export class Wholes {
  #count = 0;
  #size = 0;

  /** Characters. */
  get size(): number {
    return this.#size;
  }

  /** Keeps a message, or its number where there is no room. */
  keep(message: StreamMessage): StreamItem {
    const { tenantId, off, shard, envelope } = message;
    const size = envelope.length;
    const isWhole = this.#count < MOST_WHOLE && this.#size + size <= MOST_SIZE;
    if (isWhole) {
      this.#count++;
      this.#size += size;
    }
    return { tenantId, off, shard, size, message: isWhole ? message : undefined };
  }

  /** It is done. */
  drop({ message, size }: StreamItem): void {
    if (message === undefined) return;
    this.#count--;
    this.#size -= size;
  }
}

/** The first ones of a batch, as many as may be in memory for it; at least one. */
export function firstOf(items: readonly StreamItem[]): readonly StreamItem[] {
  let size = 0;
  const tooMany = items.findIndex(item => {
    size += item.size;
    return size > MOST_OF_A_BATCH;
  });
  return tooMany === -1 ? items : items.slice(0, Math.max(1, tooMany));
}

/**
 * The messages of a batch. Throws Fenced if Redis has forgotten one that it had given out: it is not done, so the group
 * begins again with what there is, and does not know how far it came until it has seen everything in an era that lasts.
 */
export async function messagesOf(streams: Streams, items: readonly StreamItem[]): Promise<StreamMessage[]> {
  const fetched = await streams.fetch(items.filter(({ message }) => message === undefined));
  return items.map(({ message }) => {
    const found = message ?? fetched.shift();
    if (found === undefined) throw new Fenced('Redis forgot a message that it had given out');
    return found;
  });
}
