import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { repositoryRoot } from '../gates/gate.ts';
import { jsonText } from './json-text.ts';
import { schemaFields } from './schema-fields.ts';
import { yamlText } from './yaml-text.ts';

describe('JSON', () => {
  test('what is printed is read back the same', () => {
    fc.assert(
      fc.property(fc.jsonValue(), value => {
        expect(JSON.parse(jsonText(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  test('the formatter has nothing to change in it', () => {
    const word = fc.stringMatching(/^[a-z]{1,30}$/);
    const { tree } = fc.letrec(tie => ({
      tree: fc.oneof({ depthSize: 'small' }, word, tie('list'), tie('object')),
      list: fc.array(tie('tree'), { maxLength: 5 }),
      object: fc.dictionary(word, tie('tree'), { maxKeys: 5, noNullPrototype: true }),
    }));
    const sample = jsonText(
      fc.sample(fc.tuple(fc.dictionary(word, tree, { minKeys: 1 })), { numRuns: 60, seed: 7 }),
    );
    const biome = join(repositoryRoot, 'node_modules/@biomejs/biome/bin/biome');
    const { stdout, status } = spawnSync(process.execPath, [biome, 'format', '--stdin-file-path=a.json'], {
      cwd: repositoryRoot,
      input: sample,
      encoding: 'utf8',
    });
    expect(status).toBe(0);
    expect(stdout).toBe(sample);
  });
});

describe('YAML', () => {
  test('objects and lists become blocks, and what could be misread is quoted', () => {
    const value = {
      asyncapi: '3.0.0',
      on: [{ name: 'yes', tags: ['a b', 'c: d', '# e'] }, 'plain', [], [1, true, null]],
      $ref: '#/channels/x',
      empty: {},
      'x-owner': 'iam-service',
      '12': '12',
    };
    expect(yamlText(value)).toBe(`"12": "12"
asyncapi: "3.0.0"
"on":
  - name: "yes"
    tags:
      - "a b"
      - "c: d"
      - "# e"
  - plain
  - []
  - - 1
    - true
    - null
$ref: "#/channels/x"
empty: {}
x-owner: iam-service
`);
  });

  test.each([
    'true',
    'No',
    'null',
    '~',
    'e0',
    '1.5',
    '',
    ' a',
    'a ',
    '- a',
    'a: b',
    "'a'",
    '&a',
    '*a',
    '!a',
    '@a',
    'a #b',
  ])('the text "%s" stays text', text => {
    expect(yamlText({ text })).toBe(`text: ${JSON.stringify(text)}\n`);
  });
});

describe('fields of a payload', () => {
  const fields = (shape: z.core.$ZodLooseShape) =>
    schemaFields(JSON.parse(JSON.stringify(z.toJSONSchema(z.strictObject(shape), { io: 'input' })))).map(
      ({ path, holds, optional }) => [path, holds, optional],
    );
  const money = z.strictObject({ amount: z.string(), currency: z.string() });

  test('members are named by their path, with what they hold', () => {
    expect(
      fields({
        id: z.string().regex(/^rsv_[0-7][0-9A-HJKMNP-TV-Z]{25}$/),
        day: z.iso.date(),
        at: z.iso.datetime().nullable(),
        n: z.int().min(1),
        kind: z.enum(['a', 'b']).default('a'),
        total: money,
        more: z.string().max(5).optional(),
        rooms: z.array(z.strictObject({ nights: z.int().min(0).max(9), price: money })).max(3),
        byName: z.record(z.string(), z.strictObject({ free: z.boolean() })),
      }),
    ).toEqual([
      ['id', 'id `rsv_…`', ''],
      ['day', 'date', ''],
      ['at', 'instant or null', ''],
      ['n', 'integer (≥ 1)', ''],
      ['kind', '`a`, `b`', 'default `a`'],
      ['total', 'money `{ amount, currency }`', ''],
      ['more', 'string (length ≤ 5)', 'may be missing'],
      ['rooms', 'list of object (items ≤ 3)', ''],
      ['rooms[].nights', 'integer (≥ 0, ≤ 9)', ''],
      ['rooms[].price', 'money `{ amount, currency }`', ''],
      ['byName', 'map of object', ''],
      ['byName{}.free', 'boolean', ''],
    ]);
  });

  test('branches of a union are all shown, shared members once', () => {
    const by = z.discriminatedUnion('kind', [
      z.strictObject({ kind: z.literal('card'), id: z.string(), last4: z.string() }),
      z.strictObject({ kind: z.literal('cash'), id: z.string() }),
    ]);
    expect(fields({ by }).map(([path, holds]) => `${path} ${holds}`)).toEqual([
      'by object',
      'by.kind `card`',
      'by.id string',
      'by.last4 string',
      'by.kind `cash`',
    ]);
  });
});
