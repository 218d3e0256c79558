import { expect, test } from 'vitest';
import { z } from 'zod';
import { createHost } from './host.ts';
import { type AnyRoute, defineRoute, open, operator } from './route.ts';
import { routeViolations } from './route-rules.ts';

const good = defineRoute({
  method: 'POST',
  path: '/v1/things/:thingId',
  summary: 'Change a thing',
  auth: operator(['clerk']),
  params: z.strictObject({ thingId: z.string() }),
  body: z.strictObject({ name: z.string(), tags: z.record(z.string(), z.string()).optional() }),
  returns: { 200: z.object({ name: z.string() }) },
  handler: async (_ctx, { body }) => ({ status: 200, body: { name: body.name } }),
});
const violations = (change: Partial<AnyRoute>) =>
  routeViolations([{ name: 'thing-service', routes: [{ ...good, ...change }] }]);

test('a route that follows every rule has no violation', () => {
  expect(violations({})).toEqual([]);
});

test.each<[string, Partial<AnyRoute>, RegExp]>([
  [
    'VAL-01: an input object that is not strict',
    { body: z.object({ name: z.string() }) },
    /unknown keys .* body:/,
  ],
  [
    'VAL-01: a nested input object that is not strict',
    { body: z.strictObject({ guests: z.array(z.object({ name: z.string() })) }) },
    /unknown keys pass in body\.guests\[\]/,
  ],
  ['VAL-01: a loose query', { query: z.looseObject({}) }, /unknown keys pass in query/],
  ['safety-12: a loose reply', { returns: { 200: z.looseObject({ id: z.string() }) } }, /leave in 200/],
  ['safety-12: a reply of anything', { returns: { 200: z.object({ row: z.any() }) } }, /leave in 200\.row/],
  [
    'safety-12: a record of anything',
    { returns: { 200: z.record(z.string(), z.unknown()) } },
    /undeclared fields leave in 200/,
  ],
  [
    'safety-12: a transform without a schema behind it',
    { returns: { 200: z.object({ at: z.date().transform(String) }) } },
    /200\.at/,
  ],
  ['a route without replies', { returns: {} }, /declares no reply/],
  ['a 5xx as a declared reply', { returns: { 500: z.undefined() } }, /status 500/],
  ['path parameters without a schema', { params: undefined as never }, /no params schema/],
  ['a path with a trailing slash', { path: '/v1/things/' }, /path that is not like/],
  ['a path of the host', { path: '/docs/mine' }, /serves itself/],
  ['an empty summary', { summary: ' ' }, /summary/],
  ['a GET with a body', { method: 'GET' }, /GET with a body/],
  ['safety-13: no idempotency without a real reason', { idempotency: { none: 'no' } }, /in a sentence/],
  ['safety-13: a write outside any transaction', { transaction: 'none' }, /could not commit together/],
  ['a handler that may outlive its lease', { timeoutMs: 60_000 }, /longer than its idempotency lease/],
])('%s is refused', (_name, change, expected) => {
  expect(violations(change)).toEqual([expect.stringMatching(expected)]);
});

test('a well-known path (RFC 8615) is a path like any other', () => {
  expect(violations({ path: '/.well-known/things/:thingId' })).toEqual([]);
});

test('two routes on one slot clash, also when their parameters have other names', () => {
  const other = { ...good, path: '/v1/things/:id' };
  const found = routeViolations([
    { name: 'a-service', routes: [good] },
    { name: 'b-service', routes: [other] },
  ]);
  expect(found).toEqual([expect.stringContaining('clashes with a-service')]);
});

test('a JSON value of any shape can be declared with z.json()', () => {
  expect(violations({ returns: { 200: z.object({ settings: z.json() }) } })).toEqual([]);
});

test('the host refuses to start and lists every violation at once', async () => {
  const bad = { ...good, auth: open(), summary: '', body: z.object({ a: z.string() }) };
  const attempt = createHost({ services: [{ name: 'x', routes: [bad] }] } as never);
  await expect(attempt).rejects.toThrow(/unknown keys(.|\n)*needs a summary/);
});
