import { once } from 'node:events';
import { resetPlatformDatabase } from '@melmastoon/server/database';
import type { Running } from '@melmastoon/server/start';
import { settings } from './settings.ts';
import { table } from './table.ts';

/** Flags of `melm start`. */
export type StartFlags = { port?: number; dataDir?: string; reset?: boolean; demo: boolean };

/** Starts the platform and stays until Ctrl-C, a TERM signal, or the end of its database. */
export async function startCommand(flags: StartFlags): Promise<void> {
  const env = settings(flags);
  const say = (text: string) => process.stderr.write(`melm: ${text}\n`);
  const told = stopSignal();
  told.addEventListener('abort', () => say('stopping'));
  if (flags.reset) {
    say('removing the embedded database');
    await resetPlatformDatabase(env);
  }
  const began = performance.now();
  const { start } = await import('@melmastoon/server/start'); // all services: a wrong setting should not wait for them
  const running = await start(env, { demo: flags.demo, onStep: say, signal: told }).catch(error => {
    if (!told.aborted) throw error;
    say('stopped'); // whatever a step said of being ended
    process.exit(0);
  });
  if (!told.aborted) process.stdout.write(welcome(running, (performance.now() - began) / 1000));

  const reason = await Promise.race([aborted(told), running.failed]);
  if (reason instanceof Error) say(reason.message);
  await running.close();
  say('stopped');
  process.exit(reason instanceof Error ? 1 : 0);
}

/** The first signal stops gently; a second one, from somebody who has waited enough, at once. */
function stopSignal(): AbortSignal {
  const told = new AbortController();
  const onSignal = () => {
    if (told.signal.aborted) process.exit(130);
    told.abort();
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  return told.signal;
}

function aborted(signal: AbortSignal): Promise<unknown> {
  return signal.aborted ? Promise.resolve() : once(signal, 'abort');
}

/** The hotels of the demo that sell rooms; the platform itself sells none. */
function sites(demo: Running['demo']): string[] {
  return [...new Set(demo.filter(({ role }) => role !== 'platform_admin').map(({ slug }) => slug))];
}

function welcome({ url, siteUrl, services, demo, mailPage }: Running, seconds: number): string {
  const lines = [
    '',
    `Melmastoon is ready after ${seconds.toFixed(1)} s with ${services.length} services.`,
    '',
    `  API         ${url}/api/v1`,
    `  API pages   ${url}/docs`,
    `  health      ${url}/readyz`,
    `  metrics     ${url}/metrics`,
    ...sites(demo).map(slug => `  book        ${siteUrl}/t/${slug}`),
    ...(mailPage === undefined ? [] : [`  messages    ${mailPage} (what the demo writes to its guests)`]),
    '',
  ];
  if (demo.length > 0) {
    lines.push('Demo sign-ins (POST /api/v1/auth/sign-in with the header X-Tenant-Slug):', '');
    lines.push(
      table(demo.map(({ hotel, slug, role, email, password }) => ({ hotel, slug, role, email, password }))),
      '',
    );
  }
  lines.push('Ctrl-C stops everything.', '');
  return lines.join('\n');
}
