import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { repositoryRoot } from './gates/gate.ts';
import { plantedTree } from './gates/planted-tree.ts';
import { citationsIn } from './ledger/coverage.ts';
import { compressList, expandList, expandRange } from './ledger/id-list.ts';
import { ledgerSections, safetySection } from './ledger/requirements.ts';
import { titlesIn } from './ledger/test-titles.ts';
import { refresh, report } from './ledger.ts';

const requirements = [
  '## 0. Guide',
  '| 1 things | `ABC` | 3 |',
  '## 1. Things',
  '| ABC-01 | a thing | S0 |',
  '| ABC-02 | another →ABC-01 | S0 |',
  '**ABC-03 `table`** with columns',
  '## 2. Nothing here',
].join('\n');

const shared = {
  'shared/spec/requirements.md': requirements,
  'shared/safety-rules.md':
    '## 1. Facts\n1. no rule\n## 3. Rules\n1. C first\n2. C second\n## 4. More\n3. no rule\n',
  'shared/hotel-rules.md': '- R1 one\n- R2 two\n- F1 no rule\n',
};

test('rows of tables and bold table names are the rows of a section', () => {
  expect(ledgerSections(requirements)).toEqual([{ section: '1', title: 'Things', ids: 'ABC-01..03' }]);
});

test('a parser that finds fewer rows than the index promises stops', () => {
  expect(() => ledgerSections(requirements.replace('| ABC-02', '| AB-02'))).toThrow(
    'promises 3 rows ABC-nn, found 2',
  );
});

test('safety rules are the numbered list of their own section', () => {
  expect(safetySection(shared['shared/safety-rules.md']).ids).toBe('safety-1..2');
});

test('ranges expand with and without a repeated prefix, and never run backwards', () => {
  expect(expandRange('JOB-08..11')).toEqual(['JOB-08', 'JOB-09', 'JOB-10', 'JOB-11']);
  expect(expandRange('X-099..X-101')).toEqual(['X-099', 'X-100', 'X-101']);
  expect(expandRange('R3')).toEqual(['R3']);
  expect(() => expandRange('JOB-11..08')).toThrow('backwards');
});

test('compressing and expanding a list of ids gives the same list', () => {
  const id = fc.tuple(fc.constantFrom('ABC', 'X'), fc.integer({ min: 1, max: 99 }));
  fc.assert(
    fc.property(
      fc.uniqueArray(id.map(([prefix, number]) => `${prefix}-${String(number).padStart(2, '0')}`)),
      ids => {
        expect(expandList(compressList(ids))).toEqual(ids);
      },
    ),
  );
});

test('titles are found in every form of test and group', () => {
  const source = [
    "describe('outer', () => {});",
    "test('plain', () => {});",
    'test(`a template ${x} here`, () => {});',
    "test.each([1])('each %s', () => {});",
    "describeWithRedis('with Redis', () => {});",
    "it.concurrent.for(rows)('for', () => {});",
    "expect('no title');",
    "request.test('neither');",
  ].join('\n');
  expect(titlesIn('a.test.ts', source).map(({ line, title }) => `${line} ${title}`)).toEqual([
    '1 outer',
    '2 plain',
    '3 a template … here',
    '4 each %s',
    '5 with Redis',
    '6 for',
  ]);
});

test('a title may cite several ids, ranges and rule books, and names of standards are no ids', () => {
  expect(citationsIn('IDEM-03, VAL-15..17 and safety-13 (R5): SHA-256 over UTF-8, never CR1')).toEqual([
    'IDEM-03',
    'VAL-15',
    'VAL-16',
    'VAL-17',
    'safety-13',
    'R5',
  ]);
});

test('the report counts proven rows and names citations that do not exist', () => {
  using tree = plantedTree({
    ...shared,
    'packages/x/a.test.ts':
      "test('ABC-01: holds', () => {});\ntest('ABC-3, safety-2 and R9: hold', () => {});\n",
    'packages/x/a.ts': "call('ABC-02');\n",
  });
  refresh(tree.root, `${tree.root}/shared`);
  const { titles, bySection, wrong } = report(tree.root);
  expect(titles).toBe(2);
  expect(bySection.map(({ section, proven, unproven }) => [section, proven, unproven])).toEqual([
    ['1', ['ABC-01'], ['ABC-02', 'ABC-03']],
    ['safety', ['safety-2'], ['safety-1']],
    ['hotel', [], ['R1', 'R2']],
  ]);
  expect(wrong).toEqual([
    { path: 'packages/x/a.test.ts', line: 2, cited: 'ABC-3' },
    { path: 'packages/x/a.test.ts', line: 2, cited: 'R9' },
  ]);
});

test('the command exits 1 on a wrong citation and below its floor of titles, else 0', () => {
  using tree = plantedTree({ ...shared, 'packages/x/a.test.ts': "test('ABC-01: holds', () => {});\n" });
  const ledger = (...args: string[]) =>
    spawnSync(process.execPath, [join(repositoryRoot, 'tools/ledger.ts'), '--root', tree.root, ...args], {
      encoding: 'utf8',
    });
  const refreshed = ledger('--refresh', '--shared', `${tree.root}/shared`, '--floor', '1', '--unproven');
  expect(refreshed.status).toBe(0);
  expect(refreshed.stdout).toContain('Things           1 / 3');
  expect(refreshed.stdout).toContain('unproven: ABC-02..03');
  expect(ledger('--floor', '2').status).toBe(1);
  expect(JSON.parse(ledger('--floor', '1', '--json').stdout).sections[0].proven).toEqual(['ABC-01']);
  tree.write('packages/x/b.test.ts', "test('ABC-09: holds', () => {});\n");
  const wrong = ledger('--floor', '1');
  expect(wrong.status).toBe(1);
  expect(wrong.stderr).toContain('packages/x/b.test.ts:1  cites ABC-09, which does not exist');
});
