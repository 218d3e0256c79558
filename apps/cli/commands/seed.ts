import { type Database, openDatabase } from '@ghasi/db/database';
import { roleUrl } from '@ghasi/db/roles';
import { createBackbone } from '@melmastoon/server/backbone';
import { seedDemo, seeded } from '@melmastoon/server/demo';
import { serverErrors } from '@melmastoon/server/errors';
import { upgrade } from '@melmastoon/server/upgrade';
import { settings } from './settings.ts';
import { table } from './table.ts';
import { describedServices, withDatabase } from './with-database.ts';

/** Flags of `melm seed`. */
export type SeedFlags = { dataDir?: string; json?: boolean };

/** Fills the demo hotels in and lists who can sign in. */
export async function seed(flags: SeedFlags): Promise<void> {
  const env = settings(flags);
  if (env.MELM_ENV === 'production') throw serverErrors.TEST_DOOR_OPEN({ door: 'melm seed' });
  const accounts = await withDatabase(env, async ({ adminUrl, secret }) => {
    const services = describedServices();
    await upgrade(adminUrl, services, { secret, env });
    // The demo's events wait in the outboxes for the next relay.
    const backbone = createBackbone(env, { secret, services, everything: services });
    const open = (schema: string) =>
      openDatabase({
        url: roleUrl(adminUrl, `svc_${schema}`, secret),
        service: 'melm-seed',
        max: 2,
        outbox: backbone.outboxOf(schema),
      });
    const databases = Object.fromEntries(seeded.map(schema => [schema, open(schema)]));
    try {
      return await seedDemo(databases as Record<(typeof seeded)[number], Database>);
    } finally {
      await Promise.all(Object.values(databases).map(database => database.close()));
    }
  });
  console.log(flags.json ? JSON.stringify({ accounts }) : table(accounts));
}
