import type { Service } from '@ghasi/backbone/define-service';
import { openClient } from '@ghasi/db/database';
import { assertSafeRoles } from '@ghasi/db/safe-roles';
import { isIdempotent } from '@ghasi/http/route';
import type { Environment } from './environment.ts';
import { serverErrors } from './errors.ts';

type Client = Awaited<ReturnType<typeof openClient>>;

/** The services this process runs. Whether they fit together is for the backbone to say. */
export function chosenServices({ SERVICES }: Environment, all: readonly Service[]): Service[] {
  const names = SERVICES === 'all' ? all.map(service => service.name) : SERVICES;
  return names.map(name => {
    const found = all.find(service => service.name === name);
    if (found === undefined)
      throw serverErrors.NO_SUCH_SERVICE({ name, known: all.map(service => service.name) });
    return found;
  });
}

/** Refuses to serve on a database that would leak between tenants or forget what was asked twice. */
export async function assertSafe(adminUrl: string, services: readonly Service[]): Promise<void> {
  const client = await openClient(adminUrl, 'melm-boot');
  try {
    await assertSafeRoles(
      client,
      services.map(service => service.schema),
    );
    const writers = services.filter(({ routes }) => routes.some(isIdempotent)).map(({ schema }) => schema);
    const missing = await schemasWithout(client, 'idempotency', writers);
    if (missing.length > 0) throw serverErrors.NO_IDEMPOTENCY({ schemas: missing });
  } finally {
    await client.end();
  }
}

async function schemasWithout(client: Client, table: string, schemas: readonly string[]): Promise<string[]> {
  const { rows } = await client.query<{ schema: string }>(
    `select schema from unnest($1::text[]) as schema where to_regclass(format('%I.%I', schema, $2::text)) is null`,
    [schemas, table],
  );
  return rows.map(({ schema }) => schema);
}
