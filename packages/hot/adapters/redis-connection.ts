import { Redis, ReplyError } from 'ioredis';
import { hotErrors } from '../errors.ts';
import type { HotLog, HotMetrics } from '../observe.ts';
import type { Tier } from '../port.ts';
import { allScripts, type Script } from './redis-scripts.ts';

/** How to reach one Redis; `commandTimeoutMs` defaults to 1 s, `heartbeatMs` of the bus to 10 s. */
export type ConnectionOptions = {
  url: string;
  tier: Tier;
  log?: HotLog | undefined;
  metrics?: HotMetrics | undefined;
  commandTimeoutMs?: number | undefined;
  heartbeatMs?: number | undefined;
};

/** After a command timed out, others fail at once for this long: callers must not queue behind a hanging server. */
const PAUSE_AFTER_TIMEOUT_MS = 1_000;

// Answers of a Redis that is there but cannot serve now.
const NOT_NOW = /^(LOADING|MASTERDOWN|READONLY|CLUSTERDOWN|TRYAGAIN|BUSY|NOREPLICAS|UNKILLABLE)\b/;

/**
 * One connection that fails fast and never repeats a command by itself: a repeated increment would count twice, and
 * the caller knows better what a lost answer means. Reconnecting goes on in the background.
 */
export class RedisConnection {
  readonly redis: Redis;
  readonly #options: ConnectionOptions;
  #pausedUntil = 0;
  #saidDown = false;
  #lastError: Error | undefined;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.redis = new Redis(options.url, {
      lazyConnect: true,
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0, // rejects what was in flight when the line broke
      autoResendUnfulfilledCommands: false,
      autoResubscribe: false, // redis-bus.ts does it, and tells subscribers about the gap afterwards
      commandTimeout: options.commandTimeoutMs ?? 1_000,
      connectTimeout: 5_000,
      retryStrategy: attempt => Math.min(attempt * 50, 2_000),
      reconnectOnError: error => /^READONLY\b/.test(error.message), // after a failover: look for the new primary
    });
    this.redis.on('error', error => this.#sayDown(error));
    this.redis.on('ready', () => {
      if (this.#saidDown) options.log?.info({ tier: options.tier }, 'the hot store answers again');
      this.#saidDown = false;
    });
  }

  /** Connects and loads the scripts, or throws with the address (without its password) and the cause. */
  async open(): Promise<void> {
    try {
      await this.redis.connect();
      await Promise.all(allScripts.map(({ lua }) => this.redis.script('LOAD', lua)));
    } catch (error) {
      this.redis.disconnect();
      const { host } = new URL(this.#options.url);
      // ioredis rejects with "Connection is closed." and tells the reason only as an event.
      const cause = this.#lastError ?? error;
      throw this.#unavailable(`no usable Redis at ${host} (${messageOf(cause)})`, cause);
    }
  }

  /** Whether a command would go out now. */
  get isReady(): boolean {
    return this.redis.status === 'ready';
  }

  /** Runs one command, counts it, and turns its failure into an error of the catalogue. */
  async run<T>(operation: string, command: (redis: Redis) => Promise<T>): Promise<T> {
    const { tier, metrics } = this.#options;
    const startedAt = performance.now();
    try {
      if (startedAt < this.#pausedUntil) throw new Error('it timed out a moment ago');
      const answer = await command(this.redis);
      metrics?.inc('melmastoon_hot_store_operations_total', { tier, operation, result: 'ok' });
      return answer;
    } catch (error) {
      metrics?.inc('melmastoon_hot_store_operations_total', { tier, operation, result: 'error' });
      throw this.#translated(error);
    } finally {
      const seconds = (performance.now() - startedAt) / 1000;
      metrics?.observe('melmastoon_hot_store_operation_duration_seconds', { tier, operation }, seconds);
    }
  }

  /** Runs a script by its SHA; a Redis that lost its scripts (restart, failover) gets them again, once. */
  async runScript(script: Script, keys: string[], args: Array<string | number>): Promise<unknown> {
    return this.run(script.name, async redis => {
      const call = () => redis.evalsha(script.sha, keys.length, ...keys, ...args);
      try {
        return await call();
      } catch (error) {
        if (!messageOf(error).startsWith('NOSCRIPT')) throw error; // NOSCRIPT: nothing ran, so running it is no repeat
        await redis.script('LOAD', script.lua);
        return await call();
      }
    });
  }

  close(): void {
    this.redis.disconnect();
  }

  #translated(error: unknown): unknown {
    const message = messageOf(error);
    const { tier } = this.#options;
    if (message === 'Command timed out') this.#pausedUntil = performance.now() + PAUSE_AFTER_TIMEOUT_MS;
    if (!(error instanceof ReplyError) || NOT_NOW.test(message)) return this.#unavailable(message, error);
    // Inside a script the code comes after the script's own words.
    if (/\bOOM command not allowed/.test(message)) {
      return hotErrors.STORE_FULL({ tier, limit: 'maxmemory of its Redis' }, { cause: error });
    }
    return error;
  }

  #unavailable(reason: string, cause: unknown) {
    return hotErrors.STORE_UNAVAILABLE({ tier: this.#options.tier, reason }, { cause });
  }

  #sayDown(error: Error): void {
    this.#lastError = error;
    if (!this.#saidDown)
      this.#options.log?.warn({ err: error, tier: this.#options.tier }, 'the hot store is down');
    this.#saidDown = true; // once per outage, not once per attempt
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
