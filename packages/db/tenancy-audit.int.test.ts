import { type TestDatabase, testDatabase } from '@ghasi/testing/database';
import type { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { openClient } from './database.ts';
import { scratch } from './fixtures/scratch.ts';
import { auditTenancy, type GlobalKey } from './tenancy-audit.ts';

/** Keys over all tenants, each for a reason. */
const globalKeys: GlobalKey[] = [
  // A web address belongs to one tenant of the whole platform; that a name is taken is all a claim reveals.
  'tenant.slugs_one_owner',
  'tenant.hosts_one_owner',
  // pg-boss's own: a queue's name and a random id, or a key that enqueue() starts with the tenant.
  ...(['job_pkey', 'job_common_pkey', 'job_common_i1', 'job_common_i2', 'job_common_i3'] as const).map(
    key => `jobs.${key}` as const,
  ),
  ...(['job_common_i4', 'job_common_i6', 'job_common_i8', 'q_fkey', 'dlq_fkey'] as const).map(
    key => `jobs.${key}` as const,
  ),
];

/** Its role is this file's own: roles belong to the whole server, and what is granted to one is seen by every test. */
const audited = { schema: 'audited', folder: new URL('./fixtures/empty/', import.meta.url) };

let database: TestDatabase;
let client: Client;
let schemas: string[];
beforeAll(async () => {
  database = await testDatabase({ migrations: [scratch, audited] });
  client = await openClient(database.adminUrl, 'audit');
  schemas = [...inject('servers').schemas, 'scratch', 'audited'];
});
afterAll(async () => {
  await client.end();
  await database.drop();
});

const audit = () => auditTenancy(client, schemas, { globalKeys });

test('safety-1, safety-2, safety-5, safety-6, safety-8, safety-26, TEN-03, TEN-04, TEN-09, X-092: every table, key, view, function and role of every service keeps the rules', async () => {
  const { tables, keys, problems } = await audit();
  expect(problems).toEqual([]);
  // The audit proves that it looked: the scratch schema alone has two tables with three keys.
  expect(tables).toBeGreaterThanOrEqual(2);
  expect(keys).toBeGreaterThanOrEqual(3);
});

/** What somebody might add next year, the rule it breaks, and how the audit says so. */
const planted: [rule: string, sql: string, problem: RegExp, undo: string][] = [
  [
    'safety-1',
    'create table scratch.bare (tenant_id uuid not null, id int)',
    /scratch\.bare: row-level security is off/,
    'drop table scratch.bare',
  ],
  [
    'safety-1',
    'alter table scratch.notes no force row level security',
    /not forced/,
    'alter table scratch.notes force row level security',
  ],
  [
    'safety-1',
    'create table scratch.loose (tenant_id uuid not null); alter table scratch.loose enable row level security, force row level security; create policy p on scratch.loose to svc_scratch using (tenant_id = app.tenant_id()); grant select on scratch.loose to svc_scratch',
    /scratch\.loose: no policy with USING and WITH CHECK holds svc_scratch/,
    'drop table scratch.loose',
  ],
  [
    'safety-1',
    'create policy wide on scratch.notes to svc_scratch using (true)',
    /policy wide opens it to svc_scratch/,
    'drop policy wide on scratch.notes',
  ],
  [
    'safety-2',
    'grant truncate on scratch.notes to svc_scratch',
    /svc_scratch may truncate scratch\.notes/,
    'revoke truncate on scratch.notes from svc_scratch',
  ],
  [
    'safety-2',
    'grant create on schema scratch to svc_scratch',
    /svc_scratch may create in schema scratch/,
    'revoke create on schema scratch from svc_scratch',
  ],
  [
    'safety-2',
    'create role svc_other_hand; grant svc_other_hand to svc_audited',
    /svc_audited is a member of svc_other_hand/,
    'drop role svc_other_hand',
  ],
  [
    'safety-5',
    'create view scratch.everything as select * from scratch.notes',
    /scratch\.everything: view is not security_invoker/,
    'drop view scratch.everything',
  ],
  [
    'safety-5',
    'create materialized view scratch.frozen as select * from scratch.notes; grant select on scratch.frozen to svc_scratch',
    /may read this materialized view/,
    'drop materialized view scratch.frozen',
  ],
  [
    'safety-6',
    `create function scratch.peek() returns bigint language sql security definer as 'select 1::bigint'`,
    /scratch\.peek\(\): security definer, but not on the list/,
    'drop function scratch.peek()',
  ],
  [
    'safety-8',
    'alter table scratch.notes add constraint body_of_all unique (body)',
    /scratch\.body_of_all does not start with tenant_id/,
    'alter table scratch.notes drop constraint body_of_all',
  ],
  [
    'safety-26',
    'grant update on scratch.journal to svc_scratch',
    /only grows, yet svc_scratch may update/,
    'revoke update on scratch.journal from svc_scratch',
  ],
  [
    'safety-26',
    'alter table scratch.journal disable trigger append_only',
    /no trigger refuses changes/,
    'alter table scratch.journal enable trigger append_only',
  ],
];

describe('a planted violation is found', () => {
  test.for(planted)('%s: %s', async ([, sql, problem, undo]) => {
    await database.admin(sql);
    try {
      expect((await audit()).problems).toContainEqual(expect.stringMatching(problem));
    } finally {
      await database.admin(undo);
    }
  });
});
