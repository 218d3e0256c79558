import type { Service } from '@ghasi/backbone/define-service';
import { topologyProblems } from '@ghasi/backbone/topology';
import { openClient } from '@ghasi/db/database';
import { assertSafeRoles } from '@ghasi/db/safe-roles';
import { isIdempotent } from '@ghasi/http/route';
import type { Environment } from './environment.ts';
import { serverErrors } from './errors.ts';

type Client = Awaited<ReturnType<typeof openClient>>;

/** The services this process runs; refuses a choice whose questions or events nobody answers. */
export function chosenServices(env: Environment, all: readonly Service[]): Service[] {
  const names = env.SERVICES === 'all' ? all.map(service => service.name) : env.SERVICES;
  const services = names.map(name => {
    const found = all.find(service => service.name === name);
    if (found === undefined)
      throw serverErrors.NO_SUCH_SERVICE({ name, known: all.map(service => service.name).join(', ') });
    return found;
  });
  const problems = topologyProblems(services, {
    answeredElsewhere: schema => env.MELM_PEERS?.has(schema) ?? false,
    publishedElsewhere: subject =>
      all.some(({ publishes }) => publishes.some(event => event.subject === subject)),
  });
  if (problems.length > 0) throw serverErrors.BAD_TOPOLOGY({ reasons: problems.join('; ') });
  return services;
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
    if (missing.length > 0) throw serverErrors.NO_IDEMPOTENCY({ schemas: missing.join(', ') });
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
