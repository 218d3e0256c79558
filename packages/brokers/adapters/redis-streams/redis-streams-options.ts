import type { Database } from '@ghasi/db/database';
import type { Logger } from '@ghasi/telemetry/logger';
import type { Metrics } from '@ghasi/telemetry/metrics';
import type { RetryPolicy } from '../../broker.ts';

/** Times of the broker, in milliseconds. */
export type StreamTimes = {
  /** A process without a heartbeat this long has lost its shards. Default 10 s. */
  readonly leaseMs: number;
  /** Between heartbeats; also how soon a crashed process's shards move. Default 1 s. */
  readonly heartbeatMs: number;
  /** Between looks at the streams when nobody wakes us. Default 1 s. */
  readonly pollMs: number;
  /** Between notes in PostgreSQL of how far every subscription came. Default 1 s. */
  readonly markMs: number;
  /** Between removals of what everybody has acknowledged. Default 10 s. */
  readonly trimMs: number;
  /** How far the clocks of Redis and PostgreSQL may differ. Default 60 s. */
  readonly skewMs: number;
};

/** What is used where nothing is said. */
export const defaultTimes: StreamTimes = {
  leaseMs: 10_000,
  heartbeatMs: 1_000,
  pollMs: 1_000,
  markMs: 1_000,
  trimMs: 10_000,
  skewMs: 60_000,
};

/** How to open the broker. */
export type RedisStreamsOptions = {
  /** A Redis 7 that never evicts. */
  readonly url: string;
  /** Signed in as `relay`: leases, parked keys and dead letters are there. The broker does not close it. */
  readonly db: Database;
  /** Keys begin with it. Default `melm`. */
  readonly namespace?: string;
  readonly log?: Logger;
  readonly metrics?: Metrics;
  readonly retry?: RetryPolicy;
  readonly times?: Partial<StreamTimes>;
  /** Name of this process among the consumers. Default: random. */
  readonly member?: string;
  /** False while a pooler between us and PostgreSQL takes sessions away: then only heartbeats count. Default: true. */
  readonly hasSession?: () => boolean;
  readonly commandTimeoutMs?: number;
};
