import { execFileSync, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { freePorts } from './free-ports.ts';

/** A Redis for tests: the one at REDIS_URL, or a process of our own. */
export type RedisServer = { url: string; pid: number | undefined; stop(): Promise<void> };

/**
 * REDIS_URL, else `redis-server` on the PATH, else installed where that is allowed (Debian, root). Without any of
 * them it says so loudly, and the tests that need Redis say that they were left out.
 */
export async function startRedisServer(
  options: { args?: string[]; own?: boolean } = {},
): Promise<RedisServer | undefined> {
  const given = process.env.REDIS_URL;
  if (given !== undefined && options.own !== true)
    return { url: given, pid: undefined, stop: async () => {} };
  if (!onPath('redis-server') && !install()) {
    // biome-ignore lint/suspicious/noConsole: there is no logger in a test set-up, and silence would be a lie
    console.error(
      '\n*** No Redis: set REDIS_URL or install redis-server. Tests of the Redis adapters are LEFT OUT. ***\n',
    );
    return undefined;
  }
  const [port] = (await freePorts(1)) as [number];
  const args = [
    '--port',
    String(port),
    '--bind',
    '127.0.0.1',
    '--dir',
    tmpdir(),
    '--save',
    '',
    '--appendonly',
    'no',
  ];
  const child = spawn(
    'redis-server',
    [...args, '--maxmemory-policy', 'noeviction', ...(options.args ?? [])],
    {
      stdio: 'ignore',
    },
  );
  const exited = new Promise<void>(resolve => child.once('exit', () => resolve()));
  await accepting(port);
  return {
    url: `redis://127.0.0.1:${port}`,
    pid: child.pid,
    async stop() {
      child.kill('SIGTERM');
      await exited;
    },
  };
}

function onPath(program: string): boolean {
  return (process.env.PATH ?? '')
    .split(':')
    .some(folder => folder !== '' && existsSync(`${folder}/${program}`));
}

function install(): boolean {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return false;
  try {
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    execFileSync('apt-get', ['update', '-qq'], { stdio: 'ignore', env });
    execFileSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'redis-server'], {
      stdio: 'ignore',
      env,
    });
  } catch {
    return false;
  }
  return onPath('redis-server');
}

async function accepting(port: number): Promise<void> {
  for (let tries = 0; tries < 500; tries++) {
    const open = await new Promise<boolean>(resolve => {
      const socket = createConnection(port, '127.0.0.1', () => {
        socket.destroy();
        resolve(true);
      });
      socket.once('error', () => resolve(false));
    });
    if (open) return;
    await new Promise(resolve => setTimeout(resolve, 10));
  }
  throw new Error(`redis-server did not open port ${port}`);
}
