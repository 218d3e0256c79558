import { createHmac } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { openClient } from '@ghasi/db/database';
import {
  dataFolders,
  isInitialised,
  runningEmbeddedPostgres,
  startEmbeddedPostgres,
} from '@ghasi/db/embedded';
import { dbErrors } from '@ghasi/db/errors';
import { isConnectionLoss, sqlState } from '@ghasi/db/pg-errors';
import { seconds } from '@ghasi/domain-primitives/duration';
import type { Environment } from './environment.ts';
import { serverErrors } from './errors.ts';
import { WRONG_PASSWORD } from './secret.ts';
import { unlessTold } from './told.ts';

/** The platform's PostgreSQL: somebody else's, or one we started and must stop. */
export type PlatformDatabase = {
  adminUrl: string;
  embedded: boolean;
  /** Settles when an embedded server ends without being asked to; never for others. */
  exited: Promise<void>;
  stop(): Promise<void>;
  /** As `stop`, but not before all who joined it are done; `onWait` is called when somebody is not. */
  leave(onWait: () => void): Promise<void>;
};

/** Shared by who has joined an embedded server, exclusive for who stops it. */
const JOIN_LOCK = 7_236_114_002n;

/** So long a command waits for another melm that starts its server, or stops it. */
const JOIN_MS = seconds(15);
const JOIN_AGAIN_MS = 50;

/** Opens DATABASE_URL, or starts the embedded server under the data folder; neither once `signal` says so. */
export async function openPlatformDatabase(
  env: Environment,
  secret: string,
  signal?: AbortSignal,
): Promise<PlatformDatabase> {
  if (env.DATABASE_URL !== undefined) {
    await unlessTold(signal, assertReachable(env.DATABASE_URL));
    return {
      adminUrl: env.DATABASE_URL,
      embedded: false,
      exited: new Promise(() => {}),
      stop: async () => {},
      leave: async () => {},
    };
  }
  const server = await startEmbeddedPostgres({
    ...{ dataDir: dataDir(env), password: passwordOf(secret), signal },
  });
  try {
    await assertSecret(server.localUrl, env);
  } catch (error) {
    await server.stop();
    throw error;
  }
  const { localUrl: adminUrl, exited, stop } = server;
  const leave = (onWait: () => void) => untilAlone(adminUrl, onWait).finally(stop);
  return { adminUrl, embedded: true, exited, stop, leave };
}

/**
 * Like {@link openPlatformDatabase}, but an embedded server that another melm has started is used as it is, and stays until this
 * one leaves, unless that was `melm start`.
 */
export async function joinPlatformDatabase(env: Environment, secret: string): Promise<PlatformDatabase> {
  const until = performance.now() + JOIN_MS;
  for (;;) {
    const joined = env.DATABASE_URL === undefined ? await joinRunning(env, secret) : undefined;
    if (joined !== undefined) return joined;
    try {
      return await openPlatformDatabase(env, secret);
    } catch (error) {
      if (!dbErrors.EMBEDDED_BUSY.is(error) || performance.now() > until) throw error;
    }
    await new Promise(resolve => setTimeout(resolve, JOIN_AGAIN_MS)); // soon there is a server to join, or nobody's folder
  }
}

async function joinRunning(env: Environment, secret: string): Promise<PlatformDatabase | undefined> {
  const adminUrl = await runningEmbeddedPostgres({ dataDir: dataDir(env), password: passwordOf(secret) });
  if (adminUrl === undefined) return undefined;
  try {
    await assertSecret(adminUrl, env);
    const place = await openClient(adminUrl, 'melm-joined');
    await place.query('select pg_advisory_lock_shared($1)', [JOIN_LOCK]);
    const stop = () => place.end();
    return { adminUrl, embedded: true, exited: new Promise(() => {}), stop, leave: stop };
  } catch (error) {
    if (isConnectionLoss(error) || (error as NodeJS.ErrnoException).code === 'ENOENT') return undefined; // it was being stopped
    throw error;
  }
}

/** Resolves when nobody else has joined, and nobody can any more: the lock is held until the server ends. */
async function untilAlone(adminUrl: string, onWait: () => void): Promise<void> {
  const place = await openClient(adminUrl, 'melm-joined');
  const { rows } = await place.query('select pg_try_advisory_lock($1) as alone', [JOIN_LOCK]);
  if (rows[0].alone) return;
  onWait();
  await place.query('select pg_advisory_lock($1)', [JOIN_LOCK]);
}

/** Refuses a folder without an embedded database: who only looks must not make one where he happens to stand. */
export async function assertDatabaseMade(env: Environment): Promise<void> {
  if (env.DATABASE_URL === undefined && !(await isInitialised(dataDir(env))))
    throw serverErrors.NO_DATABASE({ folder: resolve(env.MELM_DATA_DIR) });
}

/** Removes the embedded database and its secret. */
export async function resetPlatformDatabase(env: Environment): Promise<void> {
  if (env.DATABASE_URL !== undefined) throw serverErrors.NOT_EMBEDDED();
  for (const path of await dataFolders(dataDir(env))) await rm(path, { recursive: true, force: true });
  await rm(join(env.MELM_DATA_DIR, 'secret'), { force: true });
}

function passwordOf(secret: string): string {
  return createHmac('sha256', secret).update('embedded-postgres').digest('base64url');
}

function dataDir(env: Environment): string {
  return resolve(env.MELM_DATA_DIR, 'postgres');
}

/** The administrator's password of an embedded server comes from the secret that it was made with. */
async function assertSecret(adminUrl: string, { MELM_DATA_DIR: folder }: Environment): Promise<void> {
  try {
    const client = await openClient(adminUrl, 'melm');
    await client.end();
  } catch (error) {
    if (sqlState(error) !== WRONG_PASSWORD) throw error;
    throw serverErrors.EMBEDDED_SECRET({ folder, file: join(folder, 'secret') }, { cause: error });
  }
}

async function assertReachable(url: string): Promise<void> {
  const { host } = new URL(url);
  try {
    const client = await openClient(url, 'melm');
    await client.end();
  } catch (error) {
    const reason = error instanceof AggregateError ? error.errors.map(String).join(', ') : String(error);
    throw serverErrors.DATABASE_UNREACHABLE({ address: host, reason }, { cause: error });
  }
}
