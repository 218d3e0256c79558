import { sql } from '@ghasi/db/drizzle';
import { execute, rows } from '@ghasi/db/sql';
import { type Ctx, tenantTransaction } from '@ghasi/db/tenant-transaction';
import { parseLocalDate } from '@ghasi/domain-primitives/local-date';
import { type TestDatabase, testDatabase } from '@ghasi/testing/database';
import { newTenantId, testActor } from '@ghasi/testing/tenants';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { readFreshness } from './freshness.ts';
import type { Handler, Projection, Work } from './handler.ts';
import { currentWatermark, noteChanges } from './note-changes.ts';
import { type InTransaction, runHandlers } from './run-handlers.ts';

let database: TestDatabase;
let db: ReturnType<TestDatabase['open']>;
beforeAll(async () => {
  database = await testDatabase();
  db = database.open('analytics');
});
afterAll(() => database.drop());

/** A tenant with one scope, and handlers that write down what they were given. */
let tenantId = newTenantId();
let scopeId = crypto.randomUUID();
let given: [string, number, readonly (string | null)[]][] = [];
beforeEach(() => {
  [tenantId, scopeId, given] = [newTenantId(), crypto.randomUUID(), []];
});

const inside: InTransaction = work => tenantTransaction(db, { tenantId, actor: testActor }, work);
const day = (n: number) => parseLocalDate(`2026-03-0${n}`);
const here = { schema: 'analytics' };

const note = async (ctx: Ctx, topic: string, n: number) =>
  noteChanges(ctx, here, { scopeId, topic, days: [{ from: day(n), until: day(n + 1) }] });
const change = (topic: string, n: number) => inside(ctx => note(ctx, topic, n));

function handler(
  name: string,
  some: Partial<Handler> & { during?: (ctx: Ctx, work: Work) => Promise<unknown> } = {},
): Handler {
  const { during, ...rest } = some;
  return {
    ...{ name, version: 1, topics: ['t'], ...rest },
    async compute(ctx, work) {
      given.push([name, work.watermark, work.changes.map(({ from }) => from)]);
      await during?.(ctx, work);
      return [];
    },
  };
}
const fail = async () => Promise.reject(new Error('no such luck'));
const projectionOf = (...handlers: Handler[]): Projection => ({ ...here, handlers });
const run = async (projection: Projection) =>
  Object.fromEntries((await runHandlers(inside, projection, scopeId)).outcomes);
const checkpoints = () =>
  inside(({ tx }) =>
    rows<{ handler: string; status: string; watermark: number; failures: number; error: string | null }>(
      tx,
      sql`select handler, status, source_watermark::int as watermark, failures, error
          from analytics.checkpoints where scope_id = ${scopeId} order by handler`,
    ),
  );
const freshness = (handlers: string[]) => inside(ctx => readFreshness(ctx, here, { scopeId, handlers }));

describe('the watermark', () => {
  test('PROJ-02, X-153: rises by one for each transaction that takes something in, however much that is', async () => {
    await inside(async ctx => {
      for (const n of [1, 2, 3]) await note(ctx, 't', n);
    });
    await change('t', 4);
    expect(await inside(ctx => currentWatermark(ctx, here, scopeId))).toBe(2);
  });

  test('a transaction that is rolled back raises nothing', async () => {
    const refused = inside(async ctx => {
      await note(ctx, 't', 1);
      throw new Error('rolled back');
    });
    await expect(refused).rejects.toThrow('rolled back');
    expect(await inside(ctx => currentWatermark(ctx, here, scopeId))).toBe(0);
  });

  test('PROJ-09: what comes in while a handler computes is not claimed, and is computed the next time', async () => {
    let isFirst = true;
    const during = async () => {
      if (isFirst) await change('t', 2); // another transaction, committed before the handler's own
      isFirst = false;
    };
    const projection = projectionOf(handler('a', { during }));
    await change('t', 1);
    await run(projection);
    expect(await freshness(['a'])).toMatchObject({
      status: 'STALE',
      watermark: 2,
      sourceWatermark: 1,
      lag: 1,
    });
    await run(projection);
    expect(await freshness(['a'])).toMatchObject({ status: 'READY', sourceWatermark: 2 });
    expect(given).toEqual([
      ['a', 1, [day(1)]],
      ['a', 2, [day(2)]],
    ]);
  });
});

describe('a handler', () => {
  test('PROJ-06: has its own checkpoint and is given each change once, and only what concerns it', async () => {
    const projection = projectionOf(handler('a'), handler('b', { topics: ['other'] }));
    await change('t', 1);
    await change('other', 2);
    expect(await run(projection)).toEqual({ a: 'computed', b: 'computed' });
    expect(await run(projection)).toEqual({ a: 'current', b: 'current' });
    await change('t', 3);
    await run(projection);
    expect(given).toEqual([
      ['a', 2, [day(1)]],
      ['b', 2, [day(2)]],
      ['a', 3, [day(3)]],
    ]);
    // that one was not touched by the last change and is as fresh as the watermark all the same.
    expect(await freshness(['b'])).toMatchObject({ status: 'READY', sourceWatermark: 3 });
  });

  test('PROJ-07, PROJ-08: one that fails marks its own checkpoint, the others proceed, and only it runs again', async () => {
    let isBroken = true;
    const during = async () => {
      if (isBroken) await fail();
    };
    const projection = projectionOf(handler('a'), handler('b', { during }), handler('c'));
    await change('t', 1);
    expect(await run(projection)).toEqual({ a: 'computed', b: 'failed', c: 'computed' });
    expect(await run(projection)).toEqual({ a: 'current', b: 'failed', c: 'current' });
    expect(await checkpoints()).toMatchObject([
      { handler: 'a', status: 'COMPLETED', watermark: 1 },
      { handler: 'b', status: 'FAILED', watermark: 0, failures: 2, error: 'no such luck' },
      { handler: 'c', status: 'COMPLETED', watermark: 1 },
    ]);
    expect(await freshness(['a', 'c'])).toMatchObject({ status: 'READY' });
    expect(await freshness(['a', 'b'])).toMatchObject({ status: 'FAILED', asOf: null, lag: 1 });
    isBroken = false;
    expect(await run(projection)).toEqual({ a: 'current', b: 'computed', c: 'current' });
    expect(given.at(-1)).toEqual(['b', 1, [day(1)]]);
    expect((await checkpoints())[1]).toMatchObject({ status: 'COMPLETED', failures: 0, error: null });
  });

  test('PROJ-07: one that hangs has failed, and nobody waits for it', async () => {
    const during = (ctx: Ctx) => execute(ctx.tx, sql`select pg_sleep(60)`);
    const projection = { ...projectionOf(handler('a', { during }), handler('b')), timeoutMs: 1_000 };
    await change('t', 1);
    expect(await run(projection)).toEqual({ a: 'failed', b: 'computed' });
    expect((await checkpoints())[0]).toMatchObject({
      status: 'FAILED',
      error: expect.stringContaining('timeout'),
    });
  });

  test('PROJ-09: rows and checkpoint commit together: what a failed run wrote is gone', async () => {
    const during = async (ctx: Ctx) => {
      await execute(
        ctx.tx,
        sql`insert into analytics.operation_days (tenant_id, property_id, date, tasks_completed, source_watermark)
            values (${ctx.tenantId}, ${scopeId}, '2026-03-01', 1, 1)`,
      );
      await fail();
    };
    await change('t', 1);
    await run(projectionOf(handler('a', { during })));
    const left = await inside(({ tx }) => rows(tx, sql`select 1 from analytics.operation_days`));
    expect(left).toEqual([]);
  });

  test('whose code changed computes everything anew, once', async () => {
    await change('t', 1);
    await run(projectionOf(handler('a')));
    const changed = projectionOf(handler('a', { version: 2 }));
    expect(await run(changed)).toEqual({ a: 'computed' });
    expect(await run(changed)).toEqual({ a: 'current' });
    expect(given.at(-1)).toEqual(['a', 1, [null]]);
  });

  test('that reads the rows of others never goes further than they have come', async () => {
    let isBroken = false;
    const during = async () => {
      if (isBroken) await fail();
    };
    const projection = projectionOf(handler('a', { during }), handler('b', { needs: ['a'] }));
    await change('t', 1);
    expect(await run(projection)).toEqual({ a: 'computed', b: 'computed' });
    isBroken = true;
    await change('t', 2);
    expect(await run(projection)).toEqual({ a: 'failed', b: 'waiting' });
    expect(await freshness(['b'])).toMatchObject({ status: 'STALE', sourceWatermark: 1 });
    isBroken = false;
    expect(await run(projection)).toEqual({ a: 'computed', b: 'computed' });
    expect(given.filter(([name]) => name === 'b')).toEqual([
      ['b', 1, [day(1)]],
      ['b', 2, [day(2)]],
    ]);
  });
});

test('changes are forgotten once every handler has dealt with them, and not before', async () => {
  let isBroken = true;
  const during = async () => {
    if (isBroken) await fail();
  };
  const projection = projectionOf(handler('a'), handler('b', { during }));
  const left = () => inside(({ tx }) => rows(tx, sql`select from_date from analytics.changes`));
  await change('t', 1);
  await run(projection);
  expect(await left()).toHaveLength(1);
  isBroken = false;
  await run(projection);
  expect(await left()).toEqual([]);
});

test('the same day that changes again and again before it is computed is one change', async () => {
  for (const _ of [1, 2, 3]) await change('t', 1);
  await run(projectionOf(handler('a')));
  expect(given).toEqual([['a', 3, [day(1)]]]);
});

test('a day that changes again while one handler is behind is computed again by those that were ahead', async () => {
  let isBroken = true;
  const during = async () => {
    if (isBroken) await fail();
  };
  const projection = projectionOf(handler('a'), handler('b', { during }));
  await change('t', 1);
  await run(projection);
  await change('t', 1);
  isBroken = false;
  await run(projection);
  expect(given).toEqual([
    ['a', 1, [day(1)]],
    ['b', 1, [day(1)]],
    ['a', 2, [day(1)]],
    ['b', 2, [day(1)]],
  ]);
});

test('two runs at the same time compute each change once', async () => {
  const projection = projectionOf(handler('a'));
  for (const n of [1, 2, 3]) await change('t', n);
  await Promise.all([run(projection), run(projection), change('t', 4)]);
  await run(projection);
  expect(given.flatMap(([, , days]) => days).sort()).toEqual([day(1), day(2), day(3), day(4)]);
});
