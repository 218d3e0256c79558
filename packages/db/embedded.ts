import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, open, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { basename, dirname, join } from 'node:path';
import {
  asUser,
  binariesIn,
  findBinaries,
  postgresUser,
  reachable,
  type SystemUser,
} from './embedded-binaries.ts';
import { dbErrors } from './errors.ts';
import { makeCluster } from './make-cluster.ts';

/** A running PostgreSQL of our own; `stop` ends it cleanly, `exited` tells when it ended without being asked to. */
export type EmbeddedPostgres = {
  adminUrl: string;
  /** The same through a socket in the data folder, where the system has them (measured: a fifth more transactions). */
  localUrl: string;
  dataDir: string;
  pid: number;
  exited: Promise<void>;
  stop(): Promise<void>;
};

/**
 * `settings` override ours, e.g. `{ fsync: 'off' }` in tests. `port` 0 or absent: any free one. `programs`: the folder of another
 * PostgreSQL's, such as `/usr/lib/postgresql/15/bin`, instead of those that npm installed. `signal` ends a start that is not over
 * yet: nothing of it is left running.
 */
export type EmbeddedOptions = {
  dataDir: string;
  password: string;
  port?: number;
  settings?: Record<string, string>;
  programs?: string;
  signal?: AbortSignal | undefined;
};

const ADMIN = 'postgres';

/** Longer than a statement of a service may take, which is 15 s. */
const FREED_WITHIN_MS = 30_000;

const defaultSettings = {
  listen_addresses: '127.0.0.1',
  max_connections: '200',
  shared_buffers: '128MB',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // Files of the log are used again instead of made anew: making one holds up every commit for 40 to 80 ms (measured). As many
  // as it has between two checkpoints: with 256 MB, a flood of 100,000 events needed new ones after half of it.
  min_wal_size: '1GB',
  jit: 'off', // our statements take microseconds; compiling them takes milliseconds
  log_checkpoints: 'off',
};

/**
 * Starts PostgreSQL on a folder, making the cluster first if there is none. Whatever the last run left behind is
 * cleaned up: an orphaned server is stopped, a crashed one recovers on start.
 *
 * The server gets a process group of its own (a Ctrl-C in the terminal would otherwise stop it before our requests
 * have drained) and logs to a file (a pipe would break with a killed parent).
 */
export async function startEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const user = await postgresUser();
  const bin = options.programs === undefined ? await findBinaries(user) : binariesIn(options.programs);
  const dataDir = reachable(options.dataDir, user);
  const release = await holdFolder(dataDir);
  try {
    if (!existsSync(join(dataDir, 'PG_VERSION')))
      await makeCluster({ bin, dataDir, password: options.password, user, signal: options.signal });
    await stopOrphan(dataDir);
    const port = options.port || (await freePort());
    const settings = {
      ...defaultSettings,
      unix_socket_directories: socketFolder(dataDir) ?? '',
      ...options.settings,
    };
    const { server, exited } = await onceFreed(async () => {
      options.signal?.throwIfAborted();
      const server = await launch(bin.postgres, dataDir, port, settings, user);
      const exited = new Promise<void>(resolve => server.once('exit', () => resolve()));
      try {
        await untilReady(dataDir, server, options.signal);
      } catch (error) {
        if (options.signal?.aborted) await end(server.pid as number, exited);
        throw error;
      }
      return { server, exited };
    });
    return {
      adminUrl: addressOf(options.password, '127.0.0.1', port),
      localUrl: addressOf(options.password, settings.unix_socket_directories || '127.0.0.1', port),
      dataDir,
      pid: server.pid as number,
      exited,
      async stop() {
        await end(server.pid as number, exited);
        await release();
      },
    };
  } catch (error) {
    await release();
    throw error;
  }
}

/** Whether a cluster was ever made in this folder. */
export async function isInitialised(dataDir: string): Promise<boolean> {
  return existsSync(join(reachable(dataDir, await postgresUser()), 'PG_VERSION'));
}

/** The address of a server that another process runs on this folder; undefined when none does. */
export async function runningEmbeddedPostgres(options: {
  dataDir: string;
  password: string;
}): Promise<string | undefined> {
  const dataDir = reachable(options.dataDir, await postgresUser());
  const lines = (await readFile(join(dataDir, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n');
  const isOurs = lines[1] === dataDir && lines[7]?.trim() === 'ready';
  if (!isOurs || !(await isRunning(Number(lines[0]), 'postgres'))) return undefined;
  return addressOf(options.password, lines[4]?.trim() || '127.0.0.1', Number(lines[3]));
}

/** Every path the embedded server uses for a data folder: what a reset removes. Refuses while a melm runs on it. */
export async function dataFolders(dataDir: string): Promise<string[]> {
  const folder = reachable(dataDir, await postgresUser());
  const release = await holdFolder(folder);
  try {
    await stopOrphan(folder);
    return [folder, `${folder}.log`];
  } finally {
    await release();
  }
}

function addressOf(password: string, host: string, port: number): string {
  return `postgres://${ADMIN}:${encodeURIComponent(password)}@${encodeURIComponent(host)}:${port}/postgres`;
}

/** The data folder, which only its owner may enter; undefined where its path is too long or odd for a socket's name. */
function socketFolder(dataDir: string): string | undefined {
  return process.platform !== 'win32' && dataDir.length < 85 && /^[\w./-]+$/.test(dataDir)
    ? dataDir
    : undefined;
}

async function launch(
  postgres: string,
  dataDir: string,
  port: number,
  settings: Record<string, string>,
  user: SystemUser | undefined,
): Promise<ChildProcess> {
  const log = await open(`${dataDir}.log`, 'w');
  try {
    const flags = Object.entries({ ...settings, port: String(port) }).flatMap(([key, value]) => [
      '-c',
      `${key}=${value}`,
    ]);
    const child = spawn(postgres, ['-D', dataDir, ...flags], {
      ...asUser(user),
      cwd: dataDir,
      detached: true,
      stdio: ['ignore', log.fd, log.fd],
    });
    await new Promise((resolve, reject) => child.once('error', reject).once('spawn', resolve));
    return child;
  } finally {
    await log.close();
  }
}

/** Starts again while processes of a killed server hold their memory: each ends when it has noticed, a busy one after its statement. */
async function onceFreed<T>(start: () => Promise<T>): Promise<T> {
  for (const until = Date.now() + FREED_WITHIN_MS; ; await pause(100)) {
    try {
      return await start();
    } catch (error) {
      if (!String(error).includes('pre-existing shared memory block') || Date.now() > until) throw error;
    }
  }
}

/** The eighth line of `postmaster.pid` says "ready" once connections are taken, also after crash recovery. */
async function untilReady(dataDir: string, server: ChildProcess, signal?: AbortSignal): Promise<void> {
  for (;;) {
    signal?.throwIfAborted();
    if (server.exitCode !== null || server.signalCode !== null) {
      const log = await readFile(`${dataDir}.log`, 'utf8').catch(() => '');
      throw dbErrors.EMBEDDED_FAILED({ reason: log.trim().split('\n').slice(-5).join(' | ') });
    }
    const lines = (await readFile(join(dataDir, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n');
    if (Number(lines[0]) === server.pid && lines[7]?.trim() === 'ready') return;
    await pause(20);
  }
}

/** A server whose parent was killed still holds the folder: it is ours, so end it and start afresh. */
async function stopOrphan(dataDir: string): Promise<void> {
  const lines = (await readFile(join(dataDir, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n');
  const pid = Number(lines[0]);
  if (!(pid > 0) || lines[1] !== dataDir || !(await isRunning(pid, 'postgres'))) return;
  const gone = (async () => {
    while (await isRunning(pid, 'postgres')) await pause(20);
  })();
  await end(pid, gone);
}

/** Fast shutdown, and after 4 s an immediate one: the next start recovers, which beats a Ctrl-C that hangs. */
async function end(pid: number, gone: Promise<void>): Promise<void> {
  signal(pid, 'SIGINT');
  const timer = setTimeout(() => signal(pid, 'SIGQUIT'), 4_000);
  await gone;
  clearTimeout(timer);
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // already gone
  }
}

/** One melm per folder: a lock file naming this process, ignored when that process no longer lives. */
async function holdFolder(dataDir: string): Promise<() => Promise<void>> {
  const path = `${dataDir}.lock`;
  await mkdir(dirname(path), { recursive: true });
  for (;;) {
    try {
      await writeFile(path, String(process.pid), { flag: 'wx' });
      return () => rm(path, { force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      const pid = Number(await readFile(path, 'utf8').catch(() => ''));
      if (pid > 0 && pid !== process.pid && (await isRunning(pid, 'node')))
        throw dbErrors.EMBEDDED_BUSY({ pid, dataDir });
      await rm(path, { force: true });
    }
  }
}

/** Whether the process lives and, where /proc can tell, is the program we mean: process numbers are drawn again. */
export async function isRunning(pid: number, program: string): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
  if (!existsSync('/proc/self/stat')) return true;
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  if (/\) Z /.test(stat)) return false;
  const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  return basename(command.split('\0')[0] ?? '').startsWith(program);
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise(resolve => server.close(resolve));
  return port;
}

function pause(ms: number): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, ms));
}
