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

/**
 * Refuses to serve on a database that would leak between tenants or forget what was asked twice, and beside processes that
 * consume through another broker: what one side publishes, the other would never hear.
 */
export async function assertSafe(
  adminUrl: string,
  services: readonly Service[],
  { BROKER: broker }: Pick<Environment, 'BROKER'>,
): Promise<void> {
  const client = await openClient(adminUrl, 'melm-boot');
  try {
    await assertSafeRoles(
      client,
      services.map(service => service.schema),
    );
    const writers = services.filter(({ routes }) => routes.some(isIdempotent)).map(({ schema }) => schema);
    const missing = await schemasWithout(client, 'idempotency', writers);
    if (missing.length > 0) throw serverErrors.NO_IDEMPOTENCY({ schemas: missing });
    const other = await brokerInUse(client, broker);
    if (other !== undefined) throw serverErrors.OTHER_BROKER({ broker, other });
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

/** Another broker than this one, if processes that live consume through it. Whoever crashed counts until his lease is over. */
async function brokerInUse(client: Client, broker: string): Promise<string | undefined> {
  const { rows } = await client.query<{ broker: string }>(
    `select c.broker
     from brokers.cursor c
     join brokers.member m on m.id = c.owner
     where c.broker <> $1 and m.heartbeat_at > clock_timestamp() - interval '10 seconds'
     limit 1`,
    [broker],
  );
  return rows[0]?.broker;
}
