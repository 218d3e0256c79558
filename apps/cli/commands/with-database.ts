import { joinPlatformDatabase, openPlatformDatabase } from '@melmastoon/server/database';
import type { Environment } from '@melmastoon/server/environment';
import { installationSecret } from '@melmastoon/server/secret';
import { allServices, migrationSets } from '@melmastoon/server/services';

/** What a command that only needs the database works with. */
export type Opened = { adminUrl: string; secret: string; sets: ReturnType<typeof migrationSets> };

/** Opens the platform's database for one piece of work and closes it after. */
export function withDatabase<T>(env: Environment, work: (opened: Opened) => Promise<T>): Promise<T> {
  return within(openPlatformDatabase, env, work);
}

/** The same for work that only looks: beside a running melm too. */
export function besideRunning<T>(env: Environment, work: (opened: Opened) => Promise<T>): Promise<T> {
  return within(joinPlatformDatabase, env, work);
}

async function within<T>(
  open: typeof openPlatformDatabase,
  env: Environment,
  work: (opened: Opened) => Promise<T>,
): Promise<T> {
  const secret = await installationSecret(env);
  const database = await open(env, secret);
  try {
    return await work({ adminUrl: database.adminUrl, secret, sets: migrationSets(describedServices()) });
  } finally {
    await database.stop();
  }
}

/** The services as declarations: nothing is started, so nothing can be asked. */
export function describedServices() {
  const ask = () => Promise.reject(new Error('no service runs'));
  return allServices({
    secret: 'only-described-never-used-for-anything',
    publicUrl: 'http://localhost',
    ask,
  });
}
