import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type TestDatabase, testDatabase } from '@ghasi/testing/database';
import { memoryFolder } from '@ghasi/testing/memory-folder';
import { startOldPostgres } from '@ghasi/testing/old-postgres';
import { carriesCommit, targetOf, tcpProxy } from '@ghasi/testing/tcp-proxy';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type MigrationSet, migrate } from './migrate.ts';
import { roleUrl } from './roles.ts';

let database: TestDatabase;
let folder: string;
beforeAll(async () => {
  database = await testDatabase();
  folder = await memoryFolder('melm-mig-');
});
afterAll(async () => {
  await database.drop();
  await rm(folder, { recursive: true });
});

/** A folder of migrations under a schema no other test uses. */
async function setOf(
  schema: string,
  files: Record<string, string>,
): Promise<MigrationSet & { path: string }> {
  const path = join(await mkdtemp(join(folder, 'set-')), 'migrations/');
  await mkdir(path);
  for (const [name, text] of Object.entries(files)) await writeFile(join(path, name), text);
  return { schema, folder: pathToFileURL(path), path };
}

const run = (set: MigrationSet) => migrate(database.adminUrl, [set], { secret: database.secret });

test('MIG-02, MIG-20, X-171: files are applied once, in order, with their checksum, and never again', async () => {
  const set = await setOf('m_once', {
    '0002_second.sql': '-- why: needs the first\nalter table m_once.t add column b int;',
    '0001_first.sql': '-- why: a table\ncreate table m_once.t (a int);',
    '0001_first.down.sql': 'drop table m_once.t;',
  });
  expect((await run(set)).map(m => m.version)).toEqual(['0001_first', '0002_second']);
  expect(await run(set)).toEqual([]);
  const history = await database.admin(
    'select version, length(checksum) as sum, applied_at is not null as dated from m_once.schema_migrations order by 1',
  );
  expect(history).toEqual([
    { version: '0001_first', sum: 64, dated: true },
    { version: '0002_second', sum: 64, dated: true },
  ]);
});

test('a file that fails leaves nothing of itself behind and names itself', async () => {
  const set = await setOf('m_fail', {
    '0001_half.sql': '-- why: breaks\ncreate table m_fail.t (a int); select 1/0;',
  });
  await expect(run(set)).rejects.toMatchObject({
    code: 'MIGRATION_FAILED',
    message: expect.stringContaining('m_fail/0001_half'),
  });
  expect(await database.admin(`select to_regclass('m_fail.t') as t`)).toEqual([{ t: null }]);
});

test('a file that fails says in which line, where the server knows', async () => {
  const set = await setOf('m_line', {
    '0001_a.sql': '-- why: breaks\nselect 1;\n\ncreat table m_line.t ();',
  });
  await expect(run(set)).rejects.toThrow('m_line/0001_a failed and was rolled back: line 4: syntax error');
});

test.each(['m_twice', 'app'])(
  'a second folder for schema %s is refused: one of them would be left out without a word',
  async schema => {
    const text = `-- why: a\ncreate table ${schema}.t (a int);`;
    const [one, two] = [await setOf(schema, { '0001_a.sql': text }), await setOf(schema, {})];
    const both = migrate(database.adminUrl, [one, two], { secret: database.secret });
    await expect(both).rejects.toThrow(`Schema ${schema} has migrations in more than one folder`);
    expect(await database.admin('select to_regclass($1) as t', [`${schema}.t`])).toEqual([{ t: null }]);
  },
);

test.each(['', undefined])(
  'an installation without a secret (%o) is refused: anybody could sign in as its roles',
  async secret => {
    const set = await setOf('m_open', { '0001_a.sql': '-- why: a\nselect 1;' });
    const attempt = migrate(database.adminUrl, [set], { secret: secret as string });
    await expect(attempt).rejects.toThrow('has no secret');
    expect(() => roleUrl(database.adminUrl, 'svc_m_open', secret as string)).toThrow('has no secret');
  },
);

test('X-170: an applied file that was edited is refused', async () => {
  const set = await setOf('m_edit', { '0001_a.sql': '-- why: a\nselect 1;' });
  await run(set);
  await writeFile(join(set.path, '0001_a.sql'), '-- why: a\nselect 2;');
  await expect(run(set)).rejects.toMatchObject({ code: 'MIGRATION_CHANGED' });
});

test('a database that is newer than the code is refused', async () => {
  const newer = await setOf('m_newer', {
    '0001_a.sql': '-- why: a\nselect 1;',
    '0002_b.sql': '-- why: b\nselect 1;',
  });
  await run(newer);
  const older = await setOf('m_newer', { '0001_a.sql': '-- why: a\nselect 1;' });
  await expect(run(older)).rejects.toMatchObject({ code: 'DATABASE_NEWER' });
});

test.for(['1_short.sql', '0001_Upper.sql'])('a file named %s is refused before anything runs', async name => {
  const set = await setOf('m_named', { [name]: '-- why: a\nselect 1;' });
  await expect(run(set)).rejects.toMatchObject({ code: 'MIGRATION_MALFORMED' });
});

test('a file that does not say why is refused', async () => {
  const set = await setOf('m_why', { '0001_a.sql': 'select 1;' });
  await expect(run(set)).rejects.toMatchObject({ code: 'MIGRATION_MALFORMED' });
});

test('eight processes that start at once apply each file once', async () => {
  const set = await setOf('m_race', {
    '0001_a.sql': '-- why: a\ncreate table m_race.t (a int); insert into m_race.t values (1);',
  });
  const applied = await Promise.all(Array.from({ length: 8 }, () => run(set)));
  expect(applied.flat()).toHaveLength(1);
  expect(await database.admin('select a from m_race.t')).toEqual([{ a: 1 }]);
});

test('a migration whose COMMIT nobody answered is not called rolled back, and the next run leaves it alone', async () => {
  const set = await setOf('m_cut', { '0001_a.sql': '-- why: a\ncreate table m_cut.t (a int);' });
  let isThis = false;
  const proxy = await tcpProxy({
    target: targetOf(database.adminUrl),
    judge(chunk) {
      isThis ||= chunk.includes('create table m_cut.t');
      return isThis && carriesCommit(chunk) ? 'cut-after' : 'pass';
    },
  });
  await expect(
    migrate(proxy.through(database.adminUrl), [set], { secret: database.secret }),
  ).rejects.toMatchObject({ code: 'MIGRATION_UNKNOWN', message: expect.stringContaining('Migrate again') });
  await proxy.close();
  expect(await run(set)).toEqual([]);
  expect(await database.admin('select a from m_cut.t')).toEqual([]);
});

test('a server that is too old is refused by version, before anything is sent to it', async () => {
  const old = await startOldPostgres(140_011);
  try {
    await expect(migrate(old.url, [], { secret: database.secret })).rejects.toMatchObject({
      code: 'DATABASE_TOO_OLD',
      message: expect.stringContaining('PostgreSQL 14 is too old: version 15'),
    });
    expect(old.statements).toEqual([expect.stringContaining('server_version_num')]);
  } finally {
    await old.close();
  }
});

test('every login role has its time limits', async () => {
  const rows = await database.admin<{ rolname: string; rolconfig: string[] }>(
    `select rolname, rolconfig from pg_roles where rolname in ('relay', 'maintenance', 'jobs_worker') or rolname like 'svc\\_m\\_%'`,
  );
  expect(rows.length).toBeGreaterThan(3);
  const [server] = await database.admin<{ major: number }>(
    `select current_setting('server_version_num')::int / 10000 as major`,
  );
  const limits = [
    'statement_timeout=15s',
    'idle_in_transaction_session_timeout=15s',
    ...(Number(server?.major) < 17 ? [] : ['transaction_timeout=30s']), // an older server has none
  ];
  for (const { rolconfig } of rows) expect(rolconfig).toEqual(expect.arrayContaining(limits));
});
