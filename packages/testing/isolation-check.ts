import type { ValueOf } from '@ghasi/db/accepted';
import type { Database } from '@ghasi/db/database';
import { type SQL, sql } from '@ghasi/db/drizzle';
import { isPrivilegeViolation } from '@ghasi/db/pg-errors';
import { execute, row, rows } from '@ghasi/db/sql';
import { type Ctx, systemTransaction, tenantTransaction } from '@ghasi/db/tenant-transaction';
import type { TenantId } from '@ghasi/domain-primitives/ids';
import type { TestDatabase } from './database.ts';
import { testActor } from './tenants.ts';

/** Two tenants of a service that each have a row in every table. */
export type TwoTenants = {
  readonly database: Pick<TestDatabase, 'admin'>;
  /** Signed in as the service. */
  readonly db: Database;
  readonly own: TenantId;
  readonly other: TenantId;
};

/** What is wrong with what a tenant sees of a table, `schema.name`; nothing: []. */
export async function readingProblems(world: TwoTenants, name: string): Promise<string[]> {
  const { database, own, other } = world;
  const problems: string[] = [];
  const there = await database.admin<Tenant>(`select distinct tenant_id from ${name}`);
  for (const tenant of [own, other]) {
    // Without a row of the other tenant there would be nothing that could be seen by mistake.
    if (!there.some(({ tenant_id }) => tenant_id === tenant)) problems.push(`no row of ${tenant} is there`);
  }
  const seen = await inside(world, ({ tx }) =>
    rows<Tenant>(tx, sql`select distinct tenant_id from ${sql.raw(name)}`),
  );
  if (!seen.some(({ tenant_id }) => tenant_id === own)) problems.push('a tenant does not see its own rows');
  if (seen.some(({ tenant_id }) => tenant_id !== own)) problems.push('a tenant sees rows of others');
  return problems;
}

/** Whether anybody sees a row of a table without saying for which tenant. */
export async function tenantlessProblems({ db }: TwoTenants, name: string): Promise<string[]> {
  const seen = await systemTransaction(db, { actor: testActor }, ({ tx }) =>
    rows(tx, sql`select 1 from ${sql.raw(name)}`),
  );
  return seen.length === 0 ? [] : [`without a tenant ${seen.length} rows are seen`];
}

/** The ways in which a tenant can write a row of a table into another one. */
export async function writingProblems(world: TwoTenants, name: string): Promise<string[]> {
  const { other } = world;
  const table = sql.raw(name);
  const copy = await inside(world, ({ tx }) =>
    row<{ one: object }>(tx, sql`select to_jsonb(t) as one from ${table} t limit 1`),
  );
  const moved = JSON.stringify({ ...copy?.one, tenant_id: other });
  const record = sql`select * from jsonb_populate_record(null::${table}, ${moved}::jsonb)`;
  const insert = sql`insert into ${table} overriding system value ${record}`;
  return notRefused(world, {
    insert,
    'insert on conflict': sql`${insert} on conflict do nothing`,
    merge: sql`merge into ${table} using (${record}) s on false
      when not matched then insert overriding system value values (s.*)`,
    update: sql`update ${table} set tenant_id = ${other}`,
  });
}

/** The ways in which a tenant can change or remove rows of a table that only grows. */
export function growingProblems(world: TwoTenants, name: string): Promise<string[]> {
  const table = sql.raw(name);
  return notRefused(world, {
    update: sql`update ${table} set tenant_id = tenant_id`,
    delete: sql`delete from ${table}`,
    truncate: sql`truncate ${table}`,
  });
}

type Tenant = { tenant_id: string };

function inside<T>({ db, own }: TwoTenants, work: (ctx: Ctx) => Promise<T>): Promise<ValueOf<T>> {
  return tenantTransaction(db, { tenantId: own, actor: testActor }, work);
}

/** Which statements PostgreSQL does not refuse to a tenant, and what happened instead; they leave nothing behind. */
async function notRefused(world: TwoTenants, attempts: Record<string, SQL>): Promise<string[]> {
  const problems: string[] = [];
  for (const [name, statement] of Object.entries(attempts)) {
    const attempt = inside(world, async ({ tx }) => {
      throw new Error(`touched ${await execute(tx, statement)} rows`);
    });
    const error = await attempt.catch((thrown: Error) => thrown);
    if (!isPrivilegeViolation(error)) problems.push(`${name}: ${error.message}`);
  }
  return problems;
}
