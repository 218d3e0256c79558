import { readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { openClient } from '@ghasi/db/database';
import { isRunning, startEmbeddedPostgres } from '@ghasi/db/embedded';
import { type MigrationSet, migrate } from '@ghasi/db/migrate';
import { memoryBase, memoryFolder } from './memory-folder.ts';
import { startRedisServer } from './redis-server.ts';

/** What test files are told about the servers of this run. */
export type TestServers = {
  adminUrl: string;
  template: string;
  secret: string;
  schemas: string[];
  redisUrl: string | undefined;
};

declare module 'vitest' {
  interface ProvidedContext {
    servers: TestServers;
  }
}

const SECRET = 'Yk3vQ9Zr2Lx0Vn5Jw7Tk3Bp9Hs1Dm4Gc6F'; // roles belong to the whole server, so every test uses this one
const FOLDER = 'melm-test-';

/**
 * Starts one PostgreSQL and one Redis for the whole run and migrates the template that test files clone. Durability
 * is off: a test may kill a process, never the machine. What fills gigabytes asks for `diskFolder`, and for `more` settings.
 * `TEST_POSTGRES` names a folder with the programs of another PostgreSQL, to try all of it there.
 */
export async function startTestServers(
  sets: MigrationSet[],
  makeFolder = memoryFolder,
  more: Readonly<Record<string, string>> = {},
): Promise<{ servers: TestServers; stop(): Promise<void> }> {
  await removeLeftovers();
  const folder = await makeFolder(FOLDER);
  const programs = process.env.TEST_POSTGRES;
  const settings = {
    fsync: 'off',
    full_page_writes: 'off',
    max_connections: '1000', // three files at once, each of which may run two servers with 150
    log_min_messages: 'fatal',
    // 4096 times for each sign-in and each role of each start is 3 ms each; 15 knows no other number.
    ...(programs === undefined ? { scram_iterations: '1' } : {}),
    ...more,
  };
  const dataDir = join(folder, 'pg');
  const postgres = await startEmbeddedPostgres({
    dataDir,
    password: SECRET,
    settings,
    ...(programs === undefined ? {} : { programs }),
  });
  const redis = await startRedisServer();
  const stop = async () => {
    await redis?.stop();
    await postgres.stop();
    await rm(folder, { recursive: true, force: true });
  };
  const template = 'melm_template';
  const adminUrl = postgres.localUrl; // a statement takes 30 % less processor time than through TCP, on both sides
  try {
    const admin = await openClient(adminUrl, 'test-cluster');
    await admin.query(`create database ${template}`);
    await admin.end();
    await migrate(inDatabase(adminUrl, template), sets, { secret: SECRET });
  } catch (error) {
    await stop(); // or a migration that does not work leaves a server behind, and the run hangs
    throw error;
  }
  const schemas = sets.map(set => set.schema);
  return { servers: { adminUrl, template, secret: SECRET, schemas, redisUrl: redis?.url }, stop };
}

/** The same server, another database. */
export function inDatabase(url: string, database: string): string {
  const other = new URL(url);
  other.pathname = `/${database}`;
  return other.href;
}

/** Folders of runs that were killed: their servers are stopped by starting on them no more, so end them here. */
async function removeLeftovers(): Promise<void> {
  const bases = new Set([tmpdir(), await memoryBase()]);
  const all = await Promise.all(
    [...bases].map(async base => (await readdir(base)).map(name => join(base, name))),
  );
  for (const folder of all.flat()) {
    if (!basename(folder).startsWith(FOLDER)) continue;
    const owner = Number(await readFile(join(folder, 'pg.lock'), 'utf8').catch(() => '0'));
    if (owner === 0 || (await isRunning(owner, 'node'))) continue; // still starting, or a run beside ours
    const pid = Number(
      (await readFile(join(folder, 'pg', 'postmaster.pid'), 'utf8').catch(() => '')).split('\n')[0],
    );
    if (pid > 0 && (await isRunning(pid, 'postgres'))) process.kill(pid, 'SIGQUIT');
    await rm(folder, { recursive: true, force: true }).catch(() => {});
  }
}
