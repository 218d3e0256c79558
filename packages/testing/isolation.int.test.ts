import { afterEach, beforeEach, expect, test } from 'vitest';
import { type TestDatabase, testDatabase } from './database.ts';
import { errands } from './fixtures/errands.ts';
import {
  growingProblems,
  readingProblems,
  type TwoTenants,
  tenantlessProblems,
  writingProblems,
} from './isolation-check.ts';
import { newTenantId } from './tenants.ts';

const [own, other] = [newTenantId(), newTenantId()];
const { schema, migrations } = errands([]);
let database: TestDatabase;
let world: TwoTenants;
beforeEach(async () => {
  database = await testDatabase({ migrations: [{ schema, folder: migrations }] });
  world = { database, db: database.open(schema), own, other };
  await add(own);
  await add(other);
});
afterEach(() => database.drop());

const add = (tenantId: string) =>
  database.admin(`insert into errands.done (tenant_id, errand_id, step) values ($1, 'e1', 1)`, [tenantId]);

/** Everything the contract finds out about one table. */
async function problems(): Promise<Record<string, string[]>> {
  return {
    reading: await readingProblems(world, 'errands.done'),
    tenantless: await tenantlessProblems(world, 'errands.done'),
    writing: await writingProblems(world, 'errands.done'),
  };
}

const none = { reading: [], tenantless: [], writing: [] };

test('a table that keeps tenants apart has no problems', async () => {
  expect(await problems()).toEqual(none);
});

test('a table without row-level security is found by all three', async () => {
  await database.admin('alter table errands.done disable row level security');
  expect(await problems()).toEqual({
    reading: ['a tenant sees rows of others'],
    tenantless: ['without a tenant 2 rows are seen'],
    writing: [
      expect.stringMatching(/^insert: /),
      expect.stringMatching(/^insert on conflict: /),
      expect.stringMatching(/^merge: /),
      'update: touched 2 rows',
    ],
  });
});

test('a policy that lets everything be written is found', async () => {
  await database.admin(
    'create policy loose on errands.done for all to public using (false) with check (true)',
  );
  const found = await problems();
  expect(found).toMatchObject({ reading: [], tenantless: [] });
  expect(found.writing?.map(problem => problem.split(':')[0])).toEqual([
    'insert',
    'insert on conflict',
    'merge',
    'update',
  ]);
});

test('a table in which one of them has nothing proves nothing', async () => {
  await database.admin('delete from errands.done where tenant_id = $1', [other]);
  expect(await readingProblems(world, 'errands.done')).toEqual([`no row of ${other} is there`]);
  await database.admin('delete from errands.done');
  await add(other);
  expect(await readingProblems(world, 'errands.done')).toEqual([
    `no row of ${own} is there`,
    'a tenant does not see its own rows',
  ]);
});

test('a table that only grows is told from one that does not', async () => {
  expect(await growingProblems(world, 'errands.done')).toEqual([
    'update: touched 1 rows',
    'delete: touched 1 rows',
  ]);
  await database.admin(`select app.append_only('errands.done')`);
  expect(await growingProblems(world, 'errands.done')).toEqual([]);
});
