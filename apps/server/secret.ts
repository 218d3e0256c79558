import { hkdfSync, randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
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
