import type { Database } from '@ghasi/db/database';
import type { Service } from './define-service.ts';
import { backboneErrors } from './errors.ts';

type Databases = Readonly<Record<string, Database>>;

/**
 * Throws when a consuming service has no database, or one that cannot sign in or is another service's. To a consumer that looks
 * like a server that is away: its messages would wait for ever.
 */
export async function assertUsable(services: readonly Service[], databases: Databases): Promise<void> {
  const schemas = services.map(({ schema }) => schema);
  const missing = schemas.filter(schema => databases[schema] === undefined);
  if (missing.length > 0) throw backboneErrors.NO_DATABASE({ schemas: missing });
  await Promise.all(
    schemas.map(async schema => {
      const reason = await whyUnusable(databases[schema] as Database, schema);
      if (reason !== undefined) throw backboneErrors.UNUSABLE_DATABASE({ schema, reason });
    }),
  );
}

async function whyUnusable({ pool }: Database, schema: string): Promise<string | undefined> {
  try {
    const { rows } = await pool.query<{ role: string; may: boolean }>(
      `select current_user as role, has_schema_privilege($1, 'usage') as may`,
      [schema],
    );
    const [found] = rows;
    return found?.may ? undefined : `it signs in as ${found?.role}`;
  } catch (error) {
    return (error as Error).message;
  }
}
