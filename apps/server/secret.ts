import { hkdfSync, randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openClient } from '@ghasi/db/database';
import { sqlState } from '@ghasi/db/pg-errors';
import { roleUrl } from '@ghasi/db/roles';
import type { Environment } from './environment.ts';
import { serverErrors } from './errors.ts';

/**
 * The installation's one secret: MELM_SECRET, or for the embedded server a random one kept beside its data. Whoever
 * brings his own database brings his own secret, for several processes must share it.
 */
export async function installationSecret(env: Environment): Promise<string> {
  if (env.MELM_SECRET !== undefined) return refuseWeak(env.MELM_SECRET);
  if (env.DATABASE_URL !== undefined || env.MELM_ENV === 'production') throw serverErrors.NO_SECRET();
  const path = join(env.MELM_DATA_DIR, 'secret');
  await mkdir(env.MELM_DATA_DIR, { recursive: true });
  try {
    await writeFile(path, randomBytes(32).toString('base64url'), { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  return readFile(path, 'utf8');
}

/** What PostgreSQL answers to it. */
export const WRONG_PASSWORD = '28P01';

/**
 * Refuses a secret whose passwords the roles of a database do not have: a process that went on with it would give them its
 * own, so that no other process could sign in, and would take every event that waits for a forgery. A role that was restored
 * without its password looks the same, and needs `melm migrate` too.
 */
export async function assertSameSecret(adminUrl: string, secret: string): Promise<void> {
  const admin = await openClient(adminUrl, 'melm-boot');
  const known = await admin
    .query(`select from pg_roles where rolname = 'relay' and rolcanlogin`)
    .finally(() => admin.end());
  if (known.rowCount === 0) return; // a new server
  try {
    const relay = await openClient(roleUrl(adminUrl, 'relay', secret), 'melm-boot');
    await relay.end();
  } catch (error) {
    if (sqlState(error) === WRONG_PASSWORD) throw serverErrors.OTHER_SECRET({}, { cause: error });
    // Whatever else it is, the pools will say it.
  }
}

/** A key for one purpose, so that no two uses share one. */
export function deriveKey(secret: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, 'melmastoon', purpose, 32));
}

function refuseWeak(secret: string): string {
  const distinct = new Set(secret).size;
  if (distinct < 10 || /secret|password|change.?me|example|default|test/i.test(secret))
    throw serverErrors.WEAK_SECRET();
  return secret;
}
