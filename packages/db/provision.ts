import type { Client } from 'pg';
import { escapeIdentifier, escapeLiteral } from 'pg';
import { sqlState } from './pg-errors.ts';
import { OWNER_ROLE, platformRoles, roleLimits, rolePassword, serviceRole } from './roles.ts';

/**
 * Makes every role exist, with its password and limits; without a secret, existing roles are left alone. Roles belong to the whole server: two databases
 * being provisioned at once collide on the same catalog rows, which is why a collision is simply tried again.
 */
export async function ensureRoles(
  client: Client,
  sets: readonly { schema: string }[],
  secret: string | undefined,
): Promise<void> {
  const major = await serverMajor(client);
  await retryCollision(() => ensureRole(client, OWNER_ROLE));
  const { rows } = await client.query('select rolsuper from pg_roles where rolname = current_user');
  // SET ROLE needs membership; a managed database's administrator is no superuser.
  if (rows[0]?.rolsuper !== true) await client.query(`grant ${OWNER_ROLE} to current_user`);
  const services = sets.filter(set => set.schema !== 'app').map(set => serviceRole(set.schema));
  for (const role of [...platformRoles, ...services]) {
    await retryCollision(async () => {
      await ensureRole(client, role);
      if (secret === undefined) return; // looking, not changing
      // One statement: whoever looks whether his secret is the right one finds no role that may sign in and has no password yet.
      await client.query(
        `alter role ${escapeIdentifier(role)} with login nocreatedb nocreaterole password ${escapeLiteral(rolePassword(secret, role))}`,
      );
      for (const [name, value] of Object.entries(roleLimits)) {
        if (name === 'transaction_timeout' && major < 17) continue;
        await client.query(`alter role ${escapeIdentifier(role)} set ${name} = ${escapeLiteral(value)}`);
      }
    });
  }
  await restrictDatabase(
    client,
    sets.map(set => set.schema),
  );
  await ensureSchema(client, 'app');
  await client.query(
    `grant usage on schema app to ${[...platformRoles, ...services].map(escapeIdentifier).join(', ')}`,
  );
}

/** Only our roles may connect, and nobody may use the public schema. */
export async function restrictDatabase(client: Client, schemas: readonly string[]): Promise<void> {
  const logins = [...platformRoles, ...schemas.filter(schema => schema !== 'app').map(serviceRole)];
  const database = escapeIdentifier((await client.query('select current_database() as name')).rows[0].name);
  await client.query('revoke all on schema public from public');
  await client.query(`revoke all on database ${database} from public`);
  await client.query(`grant connect on database ${database} to ${logins.map(escapeIdentifier).join(', ')}`);
}

/** The schema, its history table, and the right of its service to look inside. */
export async function ensureSchema(client: Client, schema: string): Promise<void> {
  const name = escapeIdentifier(schema);
  await client.query(`create schema if not exists ${name} authorization ${OWNER_ROLE}`);
  await client.query(
    `create table if not exists ${name}.schema_migrations (
       version    text primary key,
       applied_at timestamptz not null default now(),
       checksum   text not null
     )`,
  );
  await client.query(`alter table ${name}.schema_migrations owner to ${OWNER_ROLE}`);
  if (schema === 'app') return;
  const role = escapeIdentifier(serviceRole(schema));
  await client.query(`grant usage on schema ${name} to ${role}`);
  await client.query(
    `grant execute on function app.tenant_id(), app.boot_id(), app.assert_touched(bigint) to ${[serviceRole(schema), ...platformRoles].map(escapeIdentifier).join(', ')}`,
  );
}

async function ensureRole(client: Client, role: string): Promise<void> {
  const exists = await client.query('select 1 from pg_roles where rolname = $1', [role]);
  if (exists.rowCount === 0) await client.query(`create role ${escapeIdentifier(role)} nologin`);
}

async function retryCollision(work: () => Promise<void>): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      // 42710 / 23505: created meanwhile. XX000: "tuple concurrently updated".
      const state = sqlState(error);
      if (attempt === 9 || (state !== '42710' && state !== '23505' && state !== 'XX000')) throw error;
    }
  }
}

async function serverMajor(client: Client): Promise<number> {
  const { rows } = await client.query(`select current_setting('server_version_num')::int / 10000 as major`);
  return rows[0].major as number;
}
