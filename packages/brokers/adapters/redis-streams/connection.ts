import type { Logger } from '@ghasi/telemetry/logger';
import { Redis, ReplyError } from 'ioredis';
import { allScripts, type Script } from './scripts.ts';

/** How to reach Redis. */
export type ConnectionOptions = {
  readonly url: string;
  readonly log: Logger | undefined;
  /** How long one command may take. Default 5 s. */
  readonly commandTimeoutMs?: number | undefined;
};

/** So long a line may be silent before TCP asks whether anybody is there; then ten questions a second apart. */
const KEEP_ALIVE_MS = 10_000;

/**
 * A server that is gone without a word refuses nothing: what is written to it waits a quarter of an hour for TCP to give up. So
 * after a command that was not answered in time the next ones go over another line.
 */
class ImpatientRedis extends Redis {
  override sendCommand(...given: Parameters<Redis['sendCommand']>): unknown {
    const answer = super.sendCommand(...given);
    given[0].promise.catch((error: Error) => {
      if (error.message === 'Command timed out') this.disconnect(true);
    });
    return answer;
  }
}

/**
 * One connection that fails fast and never repeats a command by itself: whoever published knows what a lost answer
 * means. Reconnecting goes on in the background.
 */
export class Connection {
  readonly redis: Redis;
  readonly #options: ConnectionOptions;
  #saidDown = false;
  #lastError: Error | undefined;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.redis = new ImpatientRedis(options.url, {
      lazyConnect: true,
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0, // rejects what was in flight when the line broke
      autoResendUnfulfilledCommands: false,
      commandTimeout: options.commandTimeoutMs ?? 5_000,
      connectTimeout: 5_000,
      keepAlive: KEEP_ALIVE_MS,
      retryStrategy: attempt => Math.min(attempt * 50, 2_000),
      reconnectOnError: error => /^READONLY\b/.test(error.message), // after a failover: look for the new primary
    });
    this.redis.on('error', error => this.#sayDown(error));
    this.redis.on('ready', () => {
      if (this.#saidDown) options.log?.info('the Redis of the broker answers again');
      this.#saidDown = false;
    });
  }

  /** Connects and loads the scripts. Refuses a Redis that may evict: it would drop streams without a word. */
  async open(): Promise<void> {
    try {
      await this.redis.connect();
      await Promise.all(allScripts.map(({ lua }) => this.redis.script('LOAD', lua)));
      const policy = /maxmemory_policy:(\S+)/.exec(await this.redis.info('memory'))?.[1];
      if (policy !== 'noeviction') throw new Error(`maxmemory-policy is ${policy}, it must be noeviction`);
    } catch (error) {
      this.redis.disconnect();
      const { host } = new URL(this.#options.url);
      // ioredis rejects with "Connection is closed." and tells the reason only as an event.
      const cause = this.#lastError ?? (error as Error);
      throw new Error(`no usable Redis at ${host} (${cause.message})`, { cause });
    }
  }

  /** Runs a script by its SHA; a Redis that lost its scripts (restart, failover) gets them again, once. */
  async run(script: Script, keys: readonly string[], args: readonly (string | number)[]): Promise<unknown> {
    const call = () => this.redis.evalsha(script.sha, keys.length, ...keys, ...args);
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof ReplyError && (error as Error).message.startsWith('NOSCRIPT'))) throw error;
      await this.redis.script('LOAD', script.lua); // nothing ran, so running it is no repeat
      return await call();
    }
  }

  /** A second connection that listens to one channel; `onMessage` also runs after a gap. */
  listen(channel: string, onMessage: () => void): { close(): void } {
    const listener = new Redis(this.#options.url, {
      keepAlive: KEEP_ALIVE_MS, // it only hears: nothing else would tell it
      retryStrategy: attempt => Math.min(attempt * 50, 2_000),
    });
    listener.on('error', () => {}); // the other connection says it
    listener.on('message', onMessage);
    listener.on('ready', () => {
      listener.subscribe(channel).then(onMessage, () => {});
    });
    return { close: () => listener.disconnect() };
  }

  close(): void {
    this.redis.disconnect();
  }

  #sayDown(error: Error): void {
    this.#lastError = error;
    if (!this.#saidDown) this.#options.log?.warn({ err: error }, 'the Redis of the broker is down');
    this.#saidDown = true; // once per outage, not once per attempt
  }
}
