import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { house, houseRules } from './house.ts';
import { plantedTree } from './planted-tree.ts';

const lock = { 'package-lock.json': JSON.stringify({ packages: {} }) };
const migration = 'services/x/migrations/0001_init.sql';

async function refusalsOf(files: Record<string, string>): Promise<string[]> {
  using tree = plantedTree({ ...lock, ...files });
  const { findings } = await house.check(tree.root);
  return findings.map(({ where, what }) => `${where} ${what}`);
}

type Planted = [title: string, files: Record<string, string>, expected: RegExp];

const tenantLeaks: Planted[] = [
  [
    'a tenant setting that outlives its transaction, in SQL',
    { [migration]: `-- why: x\nset app.tenant_id = 'a';\n` },
    /0001_init\.sql:2 tenant-setting: SET app/,
  ],
  [
    'a tenant setting that outlives its transaction, in code',
    { 'packages/x/a.ts': "db.query(`SET SESSION app.tenant_id = 'a'`);\n" },
    /a\.ts:1 tenant-setting: SET app/,
  ],
  [
    'a tenant as a default of a role',
    { [migration]: `-- why: x\nalter role svc_x set "app.tenant_id" = 'a';\n` },
    /tenant-setting: SET app/,
  ],
  [
    'set_config for the session',
    { 'packages/x/a.ts': "db.query(`select set_config('app.tenant_id', $1, false)`, [id]);\n" },
    /tenant-setting: set_config\('app\.tenant_id'/,
  ],
  [
    'set_config whose scope is decided at run time',
    {
      'packages/x/a.ts':
        "db.query(`select set_config('app.tenant_id', coalesce($1, ''), $2)`, [id, isLocal]);\n",
    },
    /tenant-setting: set_config/,
  ],
];

const bareTables: Planted[] = [
  [
    'a tenant table created without its policy',
    {
      [migration]:
        "-- why: x\ncreate table x.a (tenant_id uuid not null);\ncreate table x.b (tenant_id uuid not null, amount numeric(10, 2));\nselect app.protect('x.a');\n",
    },
    /0001_init\.sql:3 migrations: creates x\.b without app\.protect/,
  ],
  [
    'a tenant table whose policy stands in a comment',
    { [migration]: "-- why: x\ncreate table x.a (tenant_id uuid not null);\n-- app.protect('x.a')\n" },
    /creates x\.a without/,
  ],
];

const stayInstants: Planted[] = [
  [
    'an instant as arrival in a type',
    { 'services/x/model.ts': 'export type Stay = {\n  arrival: Date;\n};\n' },
    /model\.ts:2 stay-dates/,
  ],
  [
    'an instant as departure in a parameter',
    { 'services/x/model.ts': 'export const f = (departure: Date | null) => departure;\n' },
    /stay-dates/,
  ],
  [
    'an instant as arrival in a schema',
    { 'services/x/contract.ts': 'export const S = z.object({ arrival: z.coerce.date().optional() });\n' },
    /stay-dates/,
  ],
  [
    'an instant as arrival in a table',
    { [migration]: '-- why: x\ncreate table x.s (\n  arrival timestamptz not null\n);\n' },
    /0001_init\.sql:3 stay-dates/,
  ],
];

const otherViolations: Planted[] = [
  [
    'a value glued into a statement by a template',
    { 'packages/x/a.ts': 'const n = 1;\ndb.query(`select * from t where id = ${id}`);\n' },
    /a\.ts:2 raw-sql/,
  ],
  [
    'a value glued into a statement by plus',
    { 'packages/x/a.ts': "db.query('select * from t where id = ' + id);\n" },
    /raw-sql/,
  ],
  [
    'a value glued into the text of a query object',
    { 'packages/x/a.ts': 'db.query({ text: `select ${column} from t`, values: [] });\n' },
    /raw-sql/,
  ],
  [
    'a value that passes through a constant',
    { 'packages/x/a.ts': 'const name = input.name;\ndb.query(`drop table ${name}`);\n' },
    /a\.ts:2 raw-sql/,
  ],
  [
    'a statement that is a constant built from values',
    { 'packages/x/a.ts': 'const statement = `drop table ${input.name}`;\ndb.query(statement);\n' },
    /a\.ts:2 raw-sql/,
  ],
  ['sql.raw with a value', { 'packages/x/a.ts': 'tx.execute(sql.raw(`select ${x}`));\n' }, /raw-sql/],
  [
    'a migration without a reason',
    { [migration]: 'create schema x;\n' },
    /0001_init\.sql:1 migrations: does not start with "-- why:/,
  ],
  [
    'a migration with another name',
    { [migration]: '-- why: x\n', 'services/x/migrations/0002-more.sql': '-- why: x\n' },
    /is not named NNNN_/,
  ],
  [
    'a gap between migrations',
    { [migration]: '-- why: x\n', 'services/x/migrations/0003_more.sql': '-- why: x\n' },
    /0003_more\.sql migrations: should carry number 0002/,
  ],
  [
    'a test that sleeps',
    { 'packages/x/a.test.ts': 'await new Promise(done => setTimeout(done, 50));\n' },
    /patient-tests: waits with setTimeout\(\)/,
  ],
  [
    'a test that imports a sleep',
    { 'packages/x/a.test.ts': "import { setTimeout as pause } from 'node:timers/promises';\n" },
    /patient-tests: imports a sleep/,
  ],
  [
    'a skipped test',
    { 'packages/x/a.test.ts': "test.skip('x', () => {});\n" },
    /patient-tests: uses test\.skip/,
  ],
  ['a test to do', { 'packages/x/a.test.ts': "it.todo('x');\n" }, /patient-tests: uses it\.todo/],
  [
    'a lonely group',
    { 'packages/x/a.test.ts': "describe.only.each([1])('x', () => {});\n" },
    /patient-tests: uses describe\.only/,
  ],
  [
    'a test skipped on a condition',
    { 'packages/x/a.conformance.ts': "describe.skipIf(true)('x', () => {});\n" },
    /patient-tests: uses describe\.skipIf/,
  ],
  [
    'a test that judges by the clock',
    { 'packages/x/a.test.ts': 'expect(performance.now() - start).toBeLessThan(50);\n' },
    /patient-tests: asserts on elapsed time/,
  ],
  ['a barrel', { 'packages/x/index.ts': 'export const a = 1;\n' }, /index\.ts file-shape: is a barrel/],
  [
    'a file re-exported whole',
    { 'packages/x/a.ts': "export * from './b.ts';\n" },
    /a\.ts:1 file-shape: re-exports/,
  ],
  ['a drawer', { 'packages/x/helpers.ts': '\n' }, /"helpers" names a drawer/],
  ['a drawer with a label', { 'packages/x/string-utils.test.ts': '\n' }, /"string-utils" names a drawer/],
  ['a file of 301 lines', { 'packages/x/a.ts': '\n'.repeat(301) }, /a\.ts file-shape: has 301 lines/],
  [
    'a test of 501 lines',
    { 'packages/x/a.test.ts': '\n'.repeat(501) },
    /a\.test\.ts file-shape: has 501 lines/,
  ],
  ['a home folder', { 'docs/a.md': 'Look in /home/amina/code.\n' }, /a\.md:1 machine-paths: .*\/home\/amina/],
  [
    'a registry in .npmrc',
    { '.npmrc': 'registry=https://npm.example.test\n' },
    /machine-paths: names the registry/,
  ],
  [
    'a host in the lock file',
    { 'package-lock.json': lockOf({ resolved: 'https://npm.example.test/a.tgz', integrity: 'sha512-x' }) },
    /lock-file: node_modules\/a names a host/,
  ],
  ['a lock entry without a hash', { 'package-lock.json': lockOf({}) }, /node_modules\/a has no sha512/],
  [
    'a dependency without a reason',
    { 'packages/x/package.json': '{ "dependencies": { "left-pad": "1", "@ghasi/db": "1" } }' },
    /packages\/x\/package\.json dependency-lines: left-pad has no line/,
  ],
  [
    'a reason without its dependency',
    { 'docs/decisions/0008-dependencies.md': '| Package | Saves |\n|---|---|\n| `left-pad` | padding |\n' },
    /dependency-lines: explains left-pad, which nobody uses/,
  ],
  [
    'an excuse without a reason',
    { 'packages/x/a.ts': '// house-ok raw-sql:\ndb.query(`drop table ${name}`);\n' },
    /raw-sql/,
  ],
];

async function expectRefusal(...[, files, expected]: Planted) {
  expect(await refusalsOf(files)).toEqual([expect.stringMatching(expected)]);
}

test.each(tenantLeaks)('safety-4: %s is refused', expectRefusal);
test.each(bareTables)('X-096: %s is refused', expectRefusal);
test.each(stayInstants)('R4: %s is refused', expectRefusal);
test.each(otherViolations)('%s is refused', expectRefusal);

test('what looks similar and is right passes', async () => {
  const source = [
    '// a comment may say SET app.tenant_id, https://example.test/x too',
    "db.query(`set local app.tenant_id = 'a'`);",
    "db.query(`select set_config('app.tenant_id', $1, true)`, [id]);",
    "db.query(`select set_config('statement_timeout', '1s', false)`);",
    'db.query(`select 1`, [id]);',
    'const table = escapeIdentifier(name);',
    'db.query(`create table ${table} (${names.map(escapeIdentifier).join()}) tablespace ${SPACE}`);',
    'tx.execute(sql`select ${id}`);',
    'setTimeout(work, 10);',
    'export type Stay = { arrival: LocalDate; bookedAt: Date };',
    '// house-ok raw-sql: the name is a literal of this file',
    'db.query(`drop table ${name}`);',
  ].join('\n');
  const sql = [
    '-- why: x',
    'create table if not exists x.a (',
    '  tenant_id uuid not null,',
    '  arrival date not null,',
    '  arrived_at timestamptz',
    ');',
    "select app.protect('x.a', relay => true);",
    'create table x.currencies (code text primary key);',
  ].join('\n');
  const files = {
    'packages/x/a.ts': source,
    'packages/x/long.ts': `// long: one table of 400 lines\n${'\n'.repeat(400)}`,
    [migration]: sql,
    'services/x/migrations/0001_init.down.sql': '-- why: development only\ndrop table x.a;\n',
    'packages/x/a.test.ts': "test('x', () => expect(seen).toBe(1));\n",
  };
  expect(await refusalsOf(files)).toEqual([]);
});

test('a merged migration that is edited or deleted is refused, a new one is welcome', async () => {
  using tree = plantedTree({
    ...lock,
    [migration]: '-- why: x\n',
    'services/x/migrations/0002_more.sql': '-- why: y\n',
  });
  tree.git('add', '.');
  tree.git('commit', '--quiet', '-m', 'merged');
  tree.write('services/x/migrations/0003_new.sql', '-- why: z\n');
  expect((await house.check(tree.root)).findings).toEqual([]);
  tree.write(migration, '-- why: x\nselect 1;\n');
  tree.git('rm', '--quiet', 'services/x/migrations/0002_more.sql');
  const { findings } = await house.check(tree.root);
  expect(findings.map(({ what }) => what)).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/merged-migrations: was merged and is now edited/),
      expect.stringMatching(/merged-migrations: was merged and is now deleted/),
    ]),
  );
});

test('where nobody knows origin/main, an edit of a merged migration is refused when it is committed too', async () => {
  using tree = mergedOnce();
  tree.write(migration, '-- why: x\nselect 1;\n');
  tree.git('commit', '--quiet', '-a', '-m', 'edited');
  const edited = {
    where: migration,
    what: expect.stringContaining('merged-migrations: was merged and is now edited'),
  };
  expect((await house.check(tree.root)).findings).toEqual([edited]);
  tree.git('update-ref', 'refs/remotes/origin/main', 'HEAD'); // and on main itself
  expect((await house.check(tree.root)).findings).toEqual([edited]);
});

test.each<[string, (tree: ReturnType<typeof mergedOnce>) => void, string]>([
  [
    'an origin/main of another history',
    tree =>
      tree.git(
        'update-ref',
        'refs/remotes/origin/main',
        tree.git('commit-tree', '-m', 'x', 'HEAD^{tree}').trim(),
      ),
    'HEAD and origin/main have no common commit',
  ],
  [
    'a git that fails',
    tree => {
      const object = tree.git('rev-parse', 'HEAD^1^{tree}').trim();
      rmSync(join(tree.root, '.git/objects', object.slice(0, 2), object.slice(2)));
    },
    'git diff failed: ',
  ],
])('%s does not pass as "nothing changed"', async (_what, spoil, said) => {
  using tree = mergedOnce();
  tree.write('README.md', '# x\n');
  tree.git('add', '.');
  tree.git('commit', '--quiet', '-m', 'more');
  spoil(tree);
  const { findings } = await house.check(tree.root);
  expect(findings).toEqual([
    {
      where: 'migrations',
      what: expect.stringContaining(`cannot be compared with what was merged: ${said}`),
    },
  ]);
});

function mergedOnce() {
  const tree = plantedTree({ ...lock, [migration]: '-- why: x\n' });
  tree.git('add', '.');
  tree.git('commit', '--quiet', '-m', 'merged');
  return tree;
}

test('a migration of a branch that is not merged yet may still change', async () => {
  using tree = plantedTree({ ...lock, [migration]: '-- why: x\n' });
  tree.git('add', '.');
  tree.git('commit', '--quiet', '-m', 'merged');
  tree.git('update-ref', 'refs/remotes/origin/main', 'HEAD');
  tree.write('services/x/migrations/0002_more.sql', '-- why: y\n');
  tree.git('add', '.');
  tree.git('commit', '--quiet', '-m', 'work in progress');
  tree.write('services/x/migrations/0002_more.sql', '-- why: y, better\n');
  expect((await house.check(tree.root)).findings).toEqual([]);
});

test('every rule has a planted violation here', () => {
  const tables = [tenantLeaks, bareTables, stayInstants, otherViolations].flat();
  const planted = [
    ...tables.map(([, , expected]) => expected.source),
    'merged-migrations',
    'file-shape',
  ].join('\n');
  const aliases: Record<string, string> = { 'lock-file': 'lock-file|has no sha512' };
  const missing = houseRules.filter(({ name }) => !new RegExp(aliases[name] ?? name).test(planted));
  expect(missing.map(({ name }) => name)).toEqual([]);
});

function lockOf(entry: object): string {
  return JSON.stringify({
    packages: { '': {}, 'node_modules/a': entry, 'node_modules/own': { link: true } },
  });
}
