import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createConnection, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** A Redis of our own. */
export type RedisServer = {
  url: string;
  pid: number;
  version: string;
  process: ChildProcess;
  gone: Promise<void>;
};

/** AOF once a second is what BullMQ's production guide recommends. */
export const redisSettings = ['--save', '', '--appendonly', 'yes', '--appendfsync', 'everysec'];

/** Starts `redis-server` from the PATH; undefined where there is none. */
export async function startRedis(folder: string): Promise<RedisServer | undefined> {
  const program = (process.env.PATH ?? '')
    .split(':')
    .map(path => join(path, 'redis-server'))
    .find(existsSync);
  if (program === undefined) return undefined;
  const port = await freePort();
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, ...redisSettings];
  const child = spawn(program, [...args, '--maxmemory-policy', 'noeviction'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let version = 'unknown';
  child.stdout.setEncoding('utf8').on('data', text => {
    version = /Redis version=([\d.]+)/.exec(text)?.[1] ?? version;
  });
  const gone = new Promise<void>(resolve => child.once('exit', () => resolve()));
  while (!(await isOpen(port))) {
    if (child.exitCode !== null) throw new Error('redis-server did not start');
    await delay(20);
  }
  return { url: `redis://127.0.0.1:${port}`, pid: child.pid as number, version, process: child, gone };
}

/** FLUSHALL by hand: the protocol's inline form needs no client. */
export async function flush({ hostname, port }: URL): Promise<void> {
  const socket = createConnection(Number(port), hostname);
  socket.write('FLUSHALL\r\n');
  const reply = await new Promise<string>((resolve, reject) =>
    socket.once('error', reject).once('data', data => resolve(data.toString())),
  );
  socket.destroy();
  if (!reply.startsWith('+OK')) throw new Error(`redis-server: ${reply.trim()}`);
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise(resolve => server.close(resolve));
  return port;
}

function isOpen(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const socket = createConnection(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
