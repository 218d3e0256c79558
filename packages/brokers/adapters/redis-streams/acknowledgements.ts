import { failpoint } from '@ghasi/domain-primitives/failpoint';
import type { Logger } from '@ghasi/telemetry/logger';
import type { Streams } from './streams.ts';

/** What a group is done with and Redis does not know yet. One that was lost on the way is sent again: it does no harm. */
export class Acknowledgements {
  readonly #streams: Streams;
  readonly #group: string;
  readonly #log: Logger | undefined;
  readonly #waiting = new Map<number, string[]>();
  #sending: Promise<void> | undefined;

  constructor(streams: Streams, group: string, log: Logger | undefined) {
    this.#streams = streams;
    this.#group = group;
    this.#log = log;
  }

  add(shard: number, ids: readonly string[]): void {
    const waiting = this.#waiting.get(shard);
    if (waiting === undefined) this.#waiting.set(shard, [...ids]);
    else waiting.push(...ids);
  }

  /** Sends what waits. Never throws: what could not be sent waits for the next time. */
  async flush(): Promise<void> {
    await this.#sending;
    this.#sending ??= this.#send().finally(() => {
      this.#sending = undefined;
    });
    await this.#sending;
  }

  async #send(): Promise<void> {
    const lots = [...this.#waiting];
    this.#waiting.clear();
    if (lots.length === 0) return;
    await Promise.all(
      lots.map(async ([shard, ids]) => {
        try {
          await failpoint('broker.before-ack');
          await this.#streams.acknowledge(this.#group, shard, ids);
          await failpoint('broker.after-ack');
        } catch (error) {
          this.add(shard, ids);
          this.#log?.debug({ err: error, group: this.#group }, 'acknowledgements will be sent again');
        }
      }),
    );
  }
}
