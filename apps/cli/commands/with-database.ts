import { assertDatabaseMade, joinPlatformDatabase, openPlatformDatabase } from '@melmastoon/server/database';
import type { Environment } from '@melmastoon/server/environment';
import { allServices, migrationSets } from '@melmastoon/server/services';
import { type Platform, withPlatform } from './with-platform.ts';

/** What a command that only needs the database works with. */
export type Opened = Platform & { sets: ReturnType<typeof migrationSets> };

/** Opens the platform's database for one piece of work and closes it after. */
export function withDatabase<T>(env: Environment, work: (opened: Opened) => Promise<T>): Promise<T> {
  return within(openPlatformDatabase, env, work);
}

/** The same for work that only looks: beside a running melm too. */
export async function besideRunning<T>(env: Environment, work: (opened: Opened) => Promise<T>): Promise<T> {
  await assertDatabaseMade(env);
  return within(joinPlatformDatabase, env, work);
}

function within<T>(
  open: typeof openPlatformDatabase,
  env: Environment,
  work: (opened: Opened) => Promise<T>,
): Promise<T> {
  return withPlatform(open, env, platform => work({ ...platform, sets: migrationSets(describedServices()) }));
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
