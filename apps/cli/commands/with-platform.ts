import type { PlatformDatabase } from '@melmastoon/server/database';
import type { Environment } from '@melmastoon/server/environment';
import { installationSecret } from '@melmastoon/server/secret';

/** Where the platform's database is, and the secret its roles' passwords derive from. */
export type Platform = { adminUrl: string; secret: string };

/**
 * Opens the platform's database for one piece of work and closes it after, also when the work is ended by Ctrl-C: an
 * embedded server that was started for it has a process group of its own and would stay. A second Ctrl-C waits for nothing.
 */
export async function withPlatform<T>(
  open: (env: Environment, secret: string) => Promise<PlatformDatabase>,
  env: Environment,
  work: (platform: Platform) => Promise<T>,
): Promise<T> {
  const secret = await installationSecret(env);
  const opening = open(env, secret);
  let ending: Promise<never> | undefined;
  const onSignal = (_: NodeJS.Signals, number: number): void => {
    const exit = () => process.exit(128 + number);
    if (ending !== undefined) exit();
    ending = opening.then(({ stop }) => stop()).then(exit, exit);
  };
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
  try {
    const platform = await opening;
    try {
      return await work({ adminUrl: platform.adminUrl, secret });
    } finally {
      await ending; // what the work says of a server that goes away is of no interest
      await platform.stop();
    }
  } finally {
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
  }
}
