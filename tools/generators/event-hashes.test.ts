import type { EventType } from '@ghasi/event-envelope/define-event';
import { payloadSchema, schemaHash } from '@ghasi/event-envelope/schema-uri';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { nextBundle, releasedPath } from '../events/released.ts';
import { event, simple } from '../fixtures/lab.ts';
import { generatedGate } from '../gates/generated.ts';
import { plantedTree } from '../gates/planted-tree.ts';
import { hashesOf } from './event-hashes.ts';
import { jsonText } from './json-text.ts';
import { writePages } from './write-pages.ts';

const path = 'event-schemas/hashes.json';
const subject = 'lab.samples.sample.taken.v1';
const plain = event(subject);
const wider = event(subject, { payload: simple.extend({ mood: z.string().default('good') }) });
const hash = (of: EventType) => schemaHash(payloadSchema(of));

/** A repository in which these hashes were merged, on a branch of its own. */
function merged(hashes: readonly string[]) {
  const tree = plantedTree({ [path]: jsonText({ [subject]: hashes }) });
  tree.git('add', '.');
  tree.git('commit', '--quiet', '-m', 'merged');
  tree.git('update-ref', 'refs/remotes/origin/main', 'HEAD');
  return tree;
}

async function problems(root: string, ...now: readonly EventType[]) {
  const { findings } = await generatedGate([hashesOf(async () => now)]).check(root);
  return findings;
}
const stale = [{ where: path, what: 'is stale: run npm run generate' }];

test('REG-04, REG-06: a changed schema is refused until its hash is there, and generating adds it behind the older ones', async () => {
  using tree = merged([hash(plain)]);
  expect(await problems(tree.root, plain)).toEqual([]);
  expect(await problems(tree.root, wider)).toEqual(stale);
  expect(await writePages([hashesOf(async () => [wider])], tree.root)).toBe(0);
  expect(await problems(tree.root, wider)).toEqual([]);
  tree.write(path, jsonText({ [subject]: [hash(plain), hash(wider)] }));
  expect(await problems(tree.root, wider)).toEqual([]);
});

test('REG-04: a hash that was merged and is removed or edited by hand is refused, also when that is committed on the branch', async () => {
  for (const edited of [[hash(wider)], ['0'.repeat(64), hash(wider)], [hash(wider), hash(plain)]]) {
    using tree = merged([hash(plain), hash(wider)]);
    tree.write(path, jsonText({ [subject]: edited }));
    expect(await problems(tree.root, wider)).toEqual(stale);
    tree.git('commit', '--quiet', '-a', '-m', 'nobody needs it any more');
    expect(await problems(tree.root, wider)).toEqual(stale);
  }
});

test('REG-04: where nobody knows origin/main, a hash is missed that the last commit removed', async () => {
  using tree = merged([hash(plain), hash(wider)]);
  tree.git('update-ref', '-d', 'refs/remotes/origin/main');
  tree.write(path, jsonText({ [subject]: [hash(wider)] }));
  tree.git('commit', '--quiet', '-a', '-m', 'nobody needs it any more');
  expect(await problems(tree.root, wider)).toEqual(stale);
});

test('REG-04: where git cannot say what was merged, nothing passes', async () => {
  using tree = merged([hash(plain)]);
  tree.git('commit', '--quiet', '--allow-empty', '-m', 'work in progress');
  tree.git(
    'update-ref',
    'refs/remotes/origin/main',
    tree.git('commit-tree', '-m', 'x', 'HEAD^{tree}').trim(),
  );
  expect(await problems(tree.root, plain)).toEqual([
    {
      where: path,
      what: expect.stringContaining('cannot be made: HEAD and origin/main have no common commit'),
    },
  ]);
});

test('REG-02, REG-04: the hash of what was released is missed where git knows nothing', async () => {
  const released = nextBundle({
    before: {},
    events: [plain],
    changelog: { runbooks: [] },
    today: '2026-03-01',
  });
  using tree = plantedTree({
    [releasedPath]: jsonText(released),
    [path]: jsonText({ [subject]: [hash(wider)] }),
  });
  expect(await problems(tree.root, wider)).toEqual(stale);
  tree.write(path, jsonText({ [subject]: [hash(wider), hash(plain)] }));
  expect(await problems(tree.root, wider)).toEqual([]);
});

test('X-078: the hashes of a subject that nobody declares any more stay', async () => {
  using tree = merged([hash(plain)]);
  expect(await problems(tree.root, event('lab.samples.sample.lost.v1'))).toEqual(stale);
  const other = event('lab.samples.sample.lost.v1');
  const all = { [other.subject]: [hash(other)], [subject]: [hash(plain)] };
  tree.write(path, jsonText(all));
  expect(await problems(tree.root, other)).toEqual([]);
});

test('a schema that never left its branch leaves no hash behind', async () => {
  using tree = merged([hash(plain)]);
  const draft = event(subject, { payload: simple.extend({ mood: z.string().optional() }) });
  expect(await writePages([hashesOf(async () => [draft])], tree.root)).toBe(0);
  tree.git('commit', '--quiet', '-a', '-m', 'a draft');
  expect(await writePages([hashesOf(async () => [wider])], tree.root)).toBe(0);
  tree.write(path, jsonText({ [subject]: [hash(plain), hash(wider)] }));
  expect(await problems(tree.root, wider)).toEqual([]);
});
