import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { freePorts } from '@ghasi/testing/free-ports';
import { waitUntil } from '@ghasi/testing/signal';
import { Redis } from 'ioredis';
import { describe } from 'vitest';

/** A redis-server of the test's own, which it may flush, stop, freeze and start again at the same address. */
export type OwnRedis = {
  readonly url: string;
  /** A connection without our adapter's manners. */
  readonly admin: Redis;
  kill(): Promise<void>;
  start(): Promise<void>;
  freeze(): void;
  thaw(): void;
  stop(): Promise<void>;
};

/** Starts it on a free loopback port without persistence, so that a restart loses everything. */
export async function ownRedis(...args: string[]): Promise<OwnRedis> {
  const [port] = (await freePorts(1)) as [number];
  const url = `redis://127.0.0.1:${port}`;
  let child: ChildProcess;
  const admin = new Redis(url, { lazyConnect: true, retryStrategy: () => 20 });
  admin.on('error', () => {});

  async function start(): Promise<void> {
    const fixed = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
    child = spawn('redis-server', [...fixed, ...args], { stdio: 'ignore' });
    await waitUntil('redis-server answers', () => admin.ping().catch(() => false));
  }
  async function kill(): Promise<void> {
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  }
  await start();
  return {
    url,
    admin,
    start,
    kill,
    freeze: () => void child.kill('SIGSTOP'),
    thaw: () => void child.kill('SIGCONT'),
    async stop() {
      admin.disconnect();
      if (child.exitCode === null && child.signalCode === null) await kill();
    },
  };
}

/** A `describe` for tests that kill their Redis; where only REDIS_URL is given they show up as left out. */
export function describeWithOwnRedis(title: string, body: () => void): void {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const isHere = folders.some(folder => existsSync(join(folder, 'redis-server')));
  // house-ok patient-tests: the design asks that a run without Redis says what it left out
  describe.runIf(isHere)(isHere ? title : `${title} (left out: no redis-server on the PATH)`, body);
}
