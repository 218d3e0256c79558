import { stopOnSignal } from '@ghasi/db/stop-on-signal';
import type { PlatformDatabase } from '@melmastoon/server/database';
import type { Environment } from '@melmastoon/server/environment';
import { installationSecret } from '@melmastoon/server/secret';

/** Where the platform's database is, and the secret its roles' passwords derive from. */
export type Platform = { adminUrl: string; secret: string };

/** Opens the platform's database for one piece of work and closes it after, also when the work is ended by Ctrl-C. */
export async function withPlatform<T>(
  open: (env: Environment, secret: string) => Promise<PlatformDatabase>,
  env: Environment,
  work: (platform: Platform) => Promise<T>,
): Promise<T> {
  const secret = await installationSecret(env);
  const opening = open(env, secret);
  const { forget, notEnding } = stopOnSignal(opening);
  try {
    const platform = await opening;
    try {
      return await work({ adminUrl: platform.adminUrl, secret });
    } finally {
      await notEnding(); // what the work says of a server that goes away is of no interest
      await platform.leave(sayThatWeWait).finally(notEnding);
    }
  } finally {
    forget();
  }
}

function sayThatWeWait(): void {
  process.stderr.write(
    'melm: another melm still uses the database that this one has started; waiting for it (Ctrl-C stops both)\n',
  );
}
