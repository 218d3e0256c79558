import { randomUUID } from 'node:crypto';
import { type AnyRoute, isIdempotent } from '@ghasi/http/route';
import type { TestDatabase } from '@ghasi/testing/database';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { z } from 'zod';
import { demoDatabase, serveDemo } from './fixtures/demo-database.ts';
import { fitting, spoiled } from './fixtures/generated-input.ts';
import { allServices } from './services.ts';
import type { Running } from './start.ts';

let database: TestDatabase;
let running: Running;
const tokens: Record<string, string> = {};
beforeAll(async () => {
  database = await demoDatabase('untold');
  running = await serveDemo(database, { ROLE: 'http', MELM_REQUESTS_PER_MINUTE: '1000000' });
  for (const { slug, email, password } of running.demo.filter(
    ({ role }) => role === 'owner' || role === 'platform_admin',
  )) {
    const reply = await fetch(`${running.url}/api/v1/auth/sign-in`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-tenant-slug': slug },
      body: JSON.stringify({ email, password }),
    });
    tokens[slug] = ((await reply.json()) as { accessToken: string }).accessToken;
  }
});
afterAll(async () => {
  await running.close();
  await database.drop();
});

const services = allServices({
  secret: randomUUID(),
  publicUrl: 'http://localhost',
  ask: async () => null as never,
});
const allSchemas = services.map(({ schema }) => schema);
const open = (routes: readonly AnyRoute[]) => routes.filter(({ auth }) => auth.kind !== 'service');
const routes = services.flatMap(service => open(service.routes));

const large = JSON.stringify({ name: 'x'.repeat(2_000_000) });

/** Ways to get a request wrong, whatever the route. */
const mistakes: [name: string, wrong: (path: string) => { path: string; type?: string; body?: string }][] = [
  ['an unknown query key', path => ({ path: `${path}?nonsense=1`, type: 'application/json', body: '{}' })],
  [
    'an unknown body key',
    path => ({ path, type: 'application/json', body: '{"nonsense":1,"__proto__":{"role":"owner"}}' }),
  ],
  ['a body that is no JSON', path => ({ path, type: 'application/json', body: '{"a":' })],
  ['a wrong content type', path => ({ path, type: 'text/plain', body: '{}' })],
  ['a body of 2 MB', path => ({ path, type: 'application/json', body: large })],
];

/**
 * The versions of the rows of every table of every service, as a sum of each: a row that was written has another one, even
 * with the same values. Without the notes that failed attempts are meant to leave.
 */
async function census(schemas: readonly string[] = allSchemas): Promise<Record<string, string>> {
  const tables = await database.admin<{ name: string }>(
    `select c.oid::regclass::text as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = any($1) and c.relkind = 'r' and not c.relispartition
       and c.relname not in ('idempotency', 'attempts', 'security_log')`,
    [schemas],
  );
  const sums = await database.admin<{ name: string; sum: string }>(
    tables
      .map(
        ({ name }) =>
          `select '${name}' as name, count(*) || ' ' || coalesce(sum(hashtextextended(concat(t.ctid, t.xmin), 0)), 0) as sum from ${name} t`,
      )
      .join(' union all '),
  );
  return Object.fromEntries(sums.map(({ name, sum }) => [name, sum]));
}

describe('safety-12, VAL-01, VAL-08: every mistake on every route is a clear refusal and changes nothing', () => {
  test.for(mistakes)('%s', async ([, wrong]) => {
    const before = await census();
    const odd: string[] = [];
    for (const route of routes) {
      const path = route.path.replaceAll(/:[a-zA-Z0-9]+/g, 'not-an-id');
      const { path: at, type, body } = wrong(path);
      const sends = route.method !== 'GET';
      if (!sends && !at.includes('?') && at === route.path) continue; // a GET without parameters has nothing to get wrong
      const token = route.path.includes('/platform/') ? tokens.platform : tokens['bala-hissar'];
      const reply = await fetch(running.url + at, {
        method: route.method,
        headers: {
          authorization: `Bearer ${token}`,
          'x-tenant-slug': route.path.includes('/platform/') ? 'platform' : 'bala-hissar',
          ...(isIdempotent(route) ? { 'idempotency-key': randomUUID() } : {}),
          ...(sends && type !== undefined ? { 'content-type': type } : {}),
        },
        ...(sends && body !== undefined ? { body } : {}),
      });
      const problem = (await reply.json().catch(() => ({}))) as { code?: string; status?: number };
      const clear =
        reply.status >= 400 &&
        reply.status < 500 &&
        problem.status === reply.status &&
        typeof problem.code === 'string';
      if (!clear) odd.push(`${route.method} ${route.path}: ${reply.status} ${JSON.stringify(problem)}`);
    }
    expect(odd).toEqual([]);
    expect(await census()).toEqual(before);
  });
});

describe('safety-12: input made from the schema of every route is answered, never with a 5xx, and a refusal changes nothing', () => {
  test.for(services.filter(service => open(service.routes).length > 0))('$name', async service => {
    const odd: string[] = [];
    let before = await census([service.schema]);
    for (const route of open(service.routes)) {
      let accepted = 0;
      for (const request of requestsFor(route)) {
        const reply = await fetch(running.url + request.path, {
          method: route.method,
          headers: {
            authorization: `Bearer ${tokens['bala-hissar']}`,
            'x-tenant-slug': 'bala-hissar',
            ...(isIdempotent(route) ? { 'idempotency-key': randomUUID() } : {}),
            ...(request.body === undefined ? {} : { 'content-type': 'application/json' }),
          },
          ...(request.body === undefined ? {} : { body: request.body }),
        });
        const text = await reply.text();
        if (reply.status >= 500)
          odd.push(
            `${route.method} ${request.path} ${request.body ?? ''}: ${reply.status} ${text}`.slice(0, 2_000),
          );
        if (reply.ok && route.method !== 'GET') accepted += 1;
      }
      const after = await census([service.schema]);
      if (accepted === 0) expect(after, `${route.method} ${route.path}`).toEqual(before);
      before = after;
    }
    expect(odd).toEqual([]);
  });
});

type Request = { path: string; body?: string };

/** What fits, and what fits but for one thing. */
function requestsFor(route: AnyRoute): Request[] {
  const of = (schema: z.ZodType | undefined) => (schema === undefined ? fc.constant({}) : fitting(schema));
  const parts = fc.record({ params: of(route.params), query: of(route.query), body: of(route.body) });
  const good = fc.sample(parts, { numRuns: 3 });
  const nearly = good.map((request, n) =>
    fc.record({
      params: fc.constant(request.params),
      query: n === 0 ? spoiled(request.query) : fc.constant(request.query),
      body: spoiled(request.body),
    }),
  );
  const bad = fc.sample(fc.tuple(...nearly), { numRuns: 6 }).flat();
  return [...good, ...bad].map(({ params, query, body }) => {
    const path = route.path.replaceAll(/:([a-zA-Z0-9]+)/g, (_, name) =>
      encodeURIComponent(String((params as Record<string, unknown>)[name] ?? 'x')),
    );
    const asked = new URLSearchParams(
      Object.entries(Object(query)).map(([key, value]) => [key, toText(value)]),
    ).toString();
    const sent =
      route.body !== undefined && route.method !== 'GET' ? { body: JSON.stringify(body) ?? 'null' } : {};
    return { path: asked === '' ? path : `${path}?${asked}`, ...sent };
  });
}

function toText(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

test('the routes above are all there are', () => {
  expect(routes.length).toBeGreaterThan(50);
});
