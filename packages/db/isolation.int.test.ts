import { type TestDatabase, testDatabase } from '@ghasi/testing/database';
import { newTenantId, testActor } from '@ghasi/testing/tenants';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import type { Database } from './database.ts';
import { sql } from './drizzle.ts';
import { scratch } from './fixtures/scratch.ts';
import { isPrivilegeViolation, isUniqueViolation, sqlState } from './pg-errors.ts';
import { execute, row } from './sql.ts';
import { systemTransaction, tenantTransaction } from './tenant-transaction.ts';

let database: TestDatabase;
let db: Database;
const [a, b] = [newTenantId(), newTenantId()];
beforeAll(async () => {
  database = await testDatabase({ migrations: [scratch] });
  db = database.open('scratch');
  for (const tenantId of [a, b]) {
    await database.admin('insert into scratch.notes (tenant_id, body) values ($1, $2)', [
      tenantId,
      `of ${tenantId}`,
    ]);
    await database.admin('insert into scratch.journal (tenant_id, entry) values ($1, $2)', [
      tenantId,
      'first',
    ]);
  }
});
afterAll(() => database.drop());

type Access = { table: string; role: string; generated: boolean };

/** Every tenant table of every service, with each service role that may touch it. */
async function accesses(): Promise<Access[]> {
  return database.admin<Access>(
    `select distinct c.oid::regclass::text as table, r.rolname as role, t.attgenerated <> '' as generated
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     join pg_attribute t on t.attrelid = c.oid and t.attname = 'tenant_id'
     cross join lateral aclexplode(c.relacl) a
     join pg_roles r on r.oid = a.grantee and r.rolname like 'svc\\_%'
     where n.nspname = any ($1) and c.relkind in ('r', 'p')
     order by 1, 2`,
    [[...inject('servers').schemas, 'scratch']],
  );
}

test('safety-3, TEN-07, X-091: with no tenant and with an empty one, every table of every service shows no row', async () => {
  const all = await accesses();
  expect(all.length).toBeGreaterThanOrEqual(2); // the scratch schema alone has two tables
  for (const { table, role } of all) {
    const service = database.openAs(role, { max: 1 });
    const { rows } = await service.pool.query(`select count(*)::int as n from ${table}`);
    const bare = await systemTransaction(service, { actor: testActor }, ({ tx }) =>
      row<{ n: bigint }>(tx, sql.raw(`select count(*) as n from ${table}`)),
    );
    await service.close();
    expect({ table, role, unset: rows[0].n, empty: bare?.n }).toEqual({ table, role, unset: 0, empty: 0n });
  }
});

test('safety-7: on every table of every service, a row with a foreign tenant is refused before anything else is looked at', async () => {
  for (const { table, role, generated } of await accesses()) {
    const service = database.openAs(role, { max: 1 });
    const insert = (tenantId: string) =>
      tenantTransaction(service, { tenantId: a, actor: testActor }, async ({ tx }) => {
        await execute(tx, sql`insert into ${sql.raw(table)} (tenant_id) values (${tenantId})`);
        throw new Error('rolled back');
      }).catch(error => sqlState(error));
    const [foreign, own] = [await insert(b), await insert(a)];
    await service.close();
    // 42501 is row-level security, 428C9 a tenant that is derived and cannot be given at all. The own tenant's row
    // fails on something else, if at all: that tells the check apart from a missing grant.
    expect({ table, role, foreign }).toEqual({ table, role, foreign: generated ? '428C9' : '42501' });
    if (!generated) expect({ table, role, own }).not.toEqual({ table, role, own: '42501' });
  }
});

describe('safety-7, TEN-08: every statement that could move a row across tenants', () => {
  const refused = [
    ['insert', sql`insert into scratch.notes (tenant_id, body) values (${b}, 'x')`],
    ['insert returning', sql`insert into scratch.notes (tenant_id, body) values (${b}, 'x') returning *`],
    [
      'bulk insert with one foreign row',
      sql`insert into scratch.notes (tenant_id, body) values (${a}, 'mine'), (${b}, 'x')`,
    ],
    [
      'insert from select',
      sql`insert into scratch.notes (tenant_id, body) select ${b}::uuid, body from scratch.notes`,
    ],
    ['update of the tenant', sql`update scratch.notes set tenant_id = ${b}`],
    [
      'on conflict do update to the foreign tenant',
      sql`insert into scratch.notes (tenant_id, body) values (${a}, ${`of ${a}`}) on conflict (tenant_id, body) do update set tenant_id = ${b}`,
    ],
    [
      'merge insert',
      sql`merge into scratch.notes n using (values (1)) v on false when not matched then insert (tenant_id, body) values (${b}, 'x')`,
    ],
  ] as const;
  test.for(refused)('%s is refused', async ([, statement]) => {
    const attempt = tenantTransaction(db, { tenantId: a, actor: testActor }, ({ tx }) =>
      execute(tx, statement),
    );
    await expect(attempt).rejects.toSatisfy(isPrivilegeViolation);
  });

  const untouched = [
    ['update', sql`update scratch.notes set body = 'taken' where tenant_id = ${b}`],
    ['delete', sql`delete from scratch.notes where tenant_id = ${b}`],
    [
      'merge update',
      sql`merge into scratch.notes n using (values (${b}::uuid)) v(t) on n.tenant_id = v.t when matched then update set body = 'taken'`,
    ],
  ] as const;
  test.for(untouched)('%s finds no foreign row', async ([, statement]) => {
    const touched = await tenantTransaction(db, { tenantId: a, actor: testActor }, ({ tx }) =>
      execute(tx, statement),
    );
    expect(touched).toBe(0);
    expect(await database.admin('select body from scratch.notes where tenant_id = $1', [b])).toEqual([
      { body: `of ${b}` },
    ]);
  });
});

test('safety-8: a value that another tenant uses is as free as any other', async () => {
  await tenantTransaction(db, { tenantId: a, actor: testActor }, ({ tx }) =>
    execute(tx, sql`insert into scratch.notes (tenant_id, body) values (${a}, ${`of ${b}`})`),
  );
  const again = tenantTransaction(db, { tenantId: a, actor: testActor }, ({ tx }) =>
    execute(tx, sql`insert into scratch.notes (tenant_id, body) values (${a}, ${`of ${b}`})`),
  );
  await expect(again).rejects.toSatisfy(error => isUniqueViolation(error, 'notes_body_unique'));
});

describe('safety-26: a table that only grows', () => {
  const changes = [
    ['update', 'update scratch.journal set entry = entry'],
    ['delete', 'delete from scratch.journal'],
    ['truncate', 'truncate scratch.journal'],
  ] as const;
  test.for(changes)('%s is refused to the service and to the administrator', async ([, statement]) => {
    const byService = tenantTransaction(db, { tenantId: a, actor: testActor }, ({ tx }) =>
      execute(tx, sql.raw(statement)),
    );
    await expect(byService).rejects.toSatisfy(isPrivilegeViolation);
    await expect(database.admin(statement)).rejects.toThrow(/only grows/);
  });
});

test('safety-6: a service reaches no file and no program of the machine', async () => {
  for (const statement of [
    `copy scratch.notes to '/tmp/x'`,
    `copy scratch.notes to program 'cat'`,
    `select pg_read_file('/etc/passwd')`,
    'create extension dblink',
    `do language plpython3u ''`,
  ]) {
    await expect(db.pool.query(statement)).rejects.toSatisfy(error =>
      ['42501', '42704', '58P01', '3F000'].includes(sqlState(error) ?? ''),
    );
  }
});
