import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startEmbeddedPostgres } from '@ghasi/db/embedded';
import { stopOnSignal } from '@ghasi/db/stop-on-signal';
import pg from 'pg';
import { killActors } from './actor-handle.ts';
import { onClient } from './ground.ts';
import { flush, startRedis } from './redis-server.ts';

/** The one PostgreSQL and the one Redis every contender runs on. */
export type Servers = {
  adminUrl: string;
  postgresPid: number;
  redis: { url: string; pid: number } | undefined;
  versions: { postgres: string; redis: string | undefined };
  /** A new, empty database; dirty pages of the last measure are written first. */
  newDatabase(name: string): Promise<string>;
  dropDatabase(name: string): Promise<void>;
  emptyRedis(): Promise<void>;
  stop(): Promise<void>;
};

/** Besides the embedded server's own settings; fsync and synchronous_commit stay on. */
export const postgresSettings = {
  wal_level: 'logical', // one contender reads the write-ahead log
  max_replication_slots: '20',
  max_wal_senders: '20',
  track_commit_timestamp: 'on', // the judge's clock
  shared_buffers: '512MB',
  max_wal_size: '8GB', // no checkpoint within a measure
  checkpoint_timeout: '1h',
};

/**
 * Starts both servers in a folder of their own, and stops them when the benchmark is ended from outside. Without
 * `redis-server` on the PATH there is no Redis.
 */
export async function startServers(withRedis: boolean): Promise<Servers> {
  const starting = start(withRedis);
  const { forget, notEnding } = stopOnSignal(starting);
  try {
    const { stop, ...servers } = await starting;
    return {
      ...servers,
      async stop() {
        await notEnding();
        await stop();
        forget();
      },
    };
  } catch (error) {
    forget();
    throw error;
  }
}

async function start(withRedis: boolean): Promise<Servers> {
  const folder = await mkdtemp(join(tmpdir(), 'melm-bench-'));
  await chmod(folder, 0o711);
  const password = 'benchmark-only';
  const settings = postgresSettings;
  const postgres = await startEmbeddedPostgres({ dataDir: join(folder, 'pg'), password, settings });
  const redis = withRedis
    ? await startRedis(folder).catch(async error => {
        await postgres.stop();
        throw error;
      })
    : undefined;
  const adminUrl = postgres.localUrl; // as every contender gets it
  const version = await onClient(adminUrl, client => client.query('show server_version'));
  return {
    adminUrl,
    postgresPid: postgres.pid,
    redis,
    versions: { postgres: version.rows[0].server_version, redis: redis?.version },
    async newDatabase(name) {
      await onClient(adminUrl, async client => {
        await client.query('checkpoint');
        const statement = `create database ${pg.escapeIdentifier(name)}`;
        await client.query(statement);
      });
      const url = new URL(adminUrl);
      url.pathname = `/${name}`;
      return url.href;
    },
    emptyRedis: () => (redis === undefined ? Promise.resolve() : flush(new URL(redis.url))),
    dropDatabase: name => onClient(adminUrl, client => drop(client, name)),
    async stop() {
      killActors(); // those that still run, where the benchmark was interrupted
      redis?.process.kill('SIGKILL');
      await redis?.gone;
      await postgres.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A slot holds its database and the write-ahead log: it goes first, once its reader has noticed that we left. */
async function drop(client: pg.Client, name: string): Promise<void> {
  const slots = 'select slot_name, active_pid from pg_replication_slots where database = $1';
  for (let tries = 0; tries < 100; tries++) {
    const { rows } = await client.query(slots, [name]);
    if (rows.length === 0) break;
    for (const { slot_name, active_pid } of rows) {
      if (active_pid === null) await client.query('select pg_drop_replication_slot($1)', [slot_name]);
      else await client.query('select pg_terminate_backend($1)', [active_pid]);
    }
    await delay(50);
  }
  const statement = `drop database if exists ${pg.escapeIdentifier(name)} with (force)`;
  await client.query(statement);
}
