import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import type { Service } from '@ghasi/backbone/define-service';
import { type ReleaseNotice, recordReleased } from '@ghasi/backbone/registry-released';
import { dbErrors } from '@ghasi/db/errors';
import { type Migration, migrate } from '@ghasi/db/migrate';
import type { AppError } from '@ghasi/domain-primitives/errors';
import type { Logger } from '@ghasi/telemetry/logger';
import type { Environment } from './environment.ts';
import { serverErrors } from './errors.ts';
import { assertSameSecret } from './secret.ts';
import { migrationSets, platformRegistry } from './services.ts';

/**
 * Brings a database up to this release, and tells the processes of the release before, which still run, what this one will
 * write. `services` are all of the platform, in whichever process. Returns the migrations it applied. Only with `newSecret` may
 * the secret be another than before: then every password is set again. `env` says whose the database is.
 */
export async function upgrade(
  adminUrl: string,
  services: readonly Service[],
  options: Upgrading,
): Promise<Migration[]> {
  if (options.newSecret !== true) await assertSameSecret(adminUrl, options.secret);
  const applied = await migrate(adminUrl, migrationSets(services), options).catch(error => {
    throw dbErrors.DATABASE_NEWER.is(error) ? newerThan(options.env, error) : error;
  });
  const bypasses = JSON.parse(readFileSync(bypassesFile, 'utf8')) as Bypass[];
  await recordReleased(adminUrl, {
    schemas: platformRegistry(services).schemas(),
    notices: releaseNotices(services, bypasses),
    actor: `melm@${hostname()}`,
  });
  return applied;
}

type Upgrading = {
  secret: string;
  newSecret?: boolean;
  log?: Logger;
  env: Pick<Environment, 'DATABASE_URL' | 'MELM_DATA_DIR'>;
};

/** That a database may be removed and made again is said only of one that is ours alone. */
function newerThan({ DATABASE_URL, MELM_DATA_DIR: folder }: Upgrading['env'], error: AppError): AppError {
  if (DATABASE_URL !== undefined) return error;
  return serverErrors.EMBEDDED_NEWER({ problem: error.message, folder }, { cause: error });
}

/** A line under "Bypasses" of CHANGELOG.events.md. */
type Bypass = {
  readonly subject: string;
  readonly rule: string;
  readonly ticket: string;
  readonly hash: string;
};

/** `npm run generate` makes it. */
const bypassesFile = new URL('../../event-schemas/bypasses.json', import.meta.url);

/** What an auditor will ask about a release: schemas that passed against a rule, and who reads a newer version (REG-16, REG-21). */
export function releaseNotices(
  services: readonly Pick<Service, 'name' | 'reacts'>[],
  bypasses: readonly Bypass[],
): ReleaseNotice[] {
  return [
    ...bypasses.map(({ ticket, ...detail }) => ({ action: 'event.bypass', reason: ticket, detail })),
    ...services.flatMap(({ name, reacts }) =>
      reacts.flatMap(({ event }) =>
        event.replaces === undefined
          ? []
          : [
              {
                action: 'event.cutover',
                reason: `${name} reads the newer version`,
                detail: { consumer: name, from: event.replaces.event.subject, to: event.subject },
              },
            ],
      ),
    ),
  ];
}
