import { type TestDatabase, testDatabase } from '@ghasi/testing/database';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openClient } from './database.ts';
import { type Finding, inspect } from './doctor.ts';
import { scratch } from './fixtures/scratch.ts';
import { assertSafeRoles } from './safe-roles.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase({ empty: true, migrations: [scratch] });
});
afterAll(() => database.drop());

const look = () => inspect(database.adminUrl, [scratch]);

test('the doctor finds nothing on a freshly migrated database', async () => {
  expect(await look()).toEqual([]);
});

test('the scratch database of a doctor that was stopped on its way is removed by a later one, that of one at work is not', async () => {
  const now = Math.floor(Date.now() / 1000);
  const [left, atWork] = [`melm_doctor_${now - 4_000}_00c0ffee0001`, `melm_doctor_${now}_00c0ffee0002`];
  for (const name of [left, atWork]) await database.admin(`create database ${name} template template0`);
  expect(await look()).toEqual([]);
  const rest = await database.admin(`select datname from pg_database where datname like '%_00c0ffee000_'`);
  await database.admin(`drop database ${atWork}`);
  expect(rest).toEqual([{ datname: atWork }]);
});

/** Damage somebody could do by hand, and the fact that must be named. */
const damages: [damage: string, found: Partial<Finding>][] = [
  [
    'alter table scratch.notes disable row level security',
    { kind: 'row security', name: 'scratch.notes', problem: 'different' },
  ],
  [
    'alter table scratch.notes no force row level security',
    { kind: 'row security', name: 'scratch.notes', problem: 'different' },
  ],
  [
    'drop policy tenant_isolation on scratch.notes',
    { kind: 'policy', name: 'tenant_isolation on scratch.notes', problem: 'missing' },
  ],
  [
    'create policy wide_open on scratch.notes using (true)',
    { kind: 'policy', name: 'wide_open on scratch.notes', problem: 'unexpected' },
  ],
  [
    'grant truncate on scratch.notes to svc_scratch',
    { kind: 'grant', name: 'truncate on table scratch.notes to svc_scratch', problem: 'unexpected' },
  ],
  [
    'grant update on scratch.journal to svc_scratch',
    { kind: 'grant', name: 'update on table scratch.journal to svc_scratch', problem: 'unexpected' },
  ],
  [
    'revoke select on scratch.notes from svc_scratch',
    { kind: 'grant', name: 'select on table scratch.notes to svc_scratch', problem: 'missing' },
  ],
  [
    'drop trigger append_only on scratch.journal',
    { kind: 'trigger', name: 'append_only on scratch.journal', problem: 'missing' },
  ],
  [
    'alter table scratch.journal disable trigger append_only',
    { kind: 'trigger', name: 'append_only on scratch.journal', problem: 'different' },
  ],
  [
    'alter table scratch.notes drop constraint notes_body_unique',
    { kind: 'constraint', name: 'notes_body_unique on scratch.notes', problem: 'missing' },
  ],
  [
    'alter table scratch.notes owner to postgres',
    { kind: 'owner', name: 'scratch.notes', problem: 'different' },
  ],
  [
    `create or replace function app.tenant_id() returns uuid language sql stable return null::uuid`,
    { kind: 'function', name: 'app.tenant_id()', problem: 'different' },
  ],
];

describe('damage is named, and the printed statement repairs it', () => {
  test.for(damages)('%s', async ([damage, expected]) => {
    await database.admin(damage);
    const findings = await look();
    expect(findings).toContainEqual(expect.objectContaining(expected));
    for (const finding of findings) await database.admin(finding.repair);
    expect(await look()).toEqual([]);
  });
});

test('a role that may bypass row-level security is found, and boot refuses it', async () => {
  // Roles belong to the whole server: a role of this test's own keeps the others' tests alone.
  const lonely = { schema: 'lonely', folder: new URL('./fixtures/empty/', import.meta.url) };
  const own = await testDatabase({ empty: true, migrations: [lonely] });
  try {
    await own.admin('alter role svc_lonely bypassrls');
    const findings = await inspect(own.adminUrl, [lonely]);
    expect(findings.map(f => [f.kind, f.name, f.problem])).toEqual([['role', 'svc_lonely', 'different']]);
    const client = await openClient(own.adminUrl, 'test');
    await expect(assertSafeRoles(client, ['lonely'])).rejects.toMatchObject({ code: 'UNSAFE_ROLE' });
    for (const finding of findings) await own.admin(finding.repair);
    await assertSafeRoles(client, ['lonely']);
    await client.end();
    expect(await inspect(own.adminUrl, [lonely])).toEqual([]);
  } finally {
    await own.drop();
  }
});

test('a migration that was not applied, was edited, or is unknown is found', async () => {
  await database.admin(`update scratch.schema_migrations set checksum = 'other'`);
  await database.admin(
    `insert into scratch.schema_migrations (version, checksum) values ('0009_future', 'x')`,
  );
  const findings = await look();
  expect(findings.map(f => [f.name, f.problem])).toEqual([
    ['scratch/0001_init', 'different'],
    ['scratch/0009_future', 'unexpected'],
  ]);
});
