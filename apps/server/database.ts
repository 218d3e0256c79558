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
import { sqlState } from '@ghasi/db/pg-errors';
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
};

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
  return { adminUrl: server.localUrl, embedded: true, exited: server.exited, stop: server.stop };
}

/** Like {@link openPlatformDatabase}, but an embedded server that a running melm has started is used as it is. */
export async function joinPlatformDatabase(env: Environment, secret: string): Promise<PlatformDatabase> {
  if (env.DATABASE_URL !== undefined) return openPlatformDatabase(env, secret);
  const adminUrl = await runningEmbeddedPostgres({ dataDir: dataDir(env), password: passwordOf(secret) });
  if (adminUrl === undefined) return openPlatformDatabase(env, secret);
  await assertSecret(adminUrl, env);
  return { adminUrl, embedded: true, exited: new Promise(() => {}), stop: async () => {} };
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
