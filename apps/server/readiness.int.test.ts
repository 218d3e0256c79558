import { openClient } from '@ghasi/db/database';
import { type TestDatabase, testDatabase } from '@ghasi/testing/database';
import { describeWithRedis } from '@ghasi/testing/redis';
import { startRedisServer } from '@ghasi/testing/redis-server';
import { waitUntil } from '@ghasi/testing/signal';
import { targetOf, tcpProxy, type Verdict } from '@ghasi/testing/tcp-proxy';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readEnvironment } from './environment.ts';
import { type Running, start } from './start.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());

const few = { SERVICES: 'staff-service', ROLE: 'http', PORT: '0', MELM_LOG_LEVEL: 'silent' };
const running = (env: Readonly<Record<string, string>>): Promise<Running> =>
  start(readEnvironment({ ...few, MELM_SECRET: database.secret, DATABASE_URL: database.adminUrl, ...env }), {
    demo: false,
  });
const ask = async (url: string, path: string) => {
  const reply = await fetch(`${url}${path}`);
  return { status: reply.status, body: await reply.json() };
};
const alive = { status: 200, body: { status: 'ok' } };

test('TEN-20: a process whose database is gone without a word is not ready, but alive; when it answers again, it is ready', async () => {
  let verdict: Verdict = 'pass';
  const proxy = await tcpProxy({ target: targetOf(database.adminUrl), judge: () => verdict });
  const { url, close } = await running({ DATABASE_URL: proxy.through(database.adminUrl) });
  try {
    expect(await ask(url, '/readyz')).toEqual({
      status: 200,
      body: { status: 'ready', checks: { database: 'ok' } },
    });
    verdict = 'swallow';
    expect(await ask(url, '/readyz')).toEqual({
      status: 503,
      body: { status: 'not ready', checks: { database: 'failed' } },
    });
    expect(await ask(url, '/healthz')).toEqual(alive);
    verdict = 'pass';
    await waitUntil('it is ready again', async () => (await ask(url, '/readyz')).status === 200);
  } finally {
    proxy.cutAll();
    await close();
    await proxy.close();
  }
});

test('TEN-20: a service all of whose connections are busy does not send people away from the others', async () => {
  const { url, close } = await running({ SERVICES: 'tenant-service,staff-service' });
  const holder = await openClient(database.adminUrl, 'test-holder');
  try {
    await holder.query('begin; lock table tenant.slugs in access exclusive mode');
    const asked = Array.from({ length: 20 }, (_, n) =>
      fetch(`${url}/api/v1/tenant/public`, { headers: { 'x-tenant-slug': `house-${n}` } }),
    );
    const waiting = `select from pg_stat_activity
      where datname = current_database() and application_name = 'tenant-service' and wait_event_type = 'Lock'`;
    await waitUntil('all its connections wait', async () => (await database.admin(waiting)).length === 10);
    expect((await ask(url, '/readyz')).status).toBe(200);
    await holder.query('rollback');
    await Promise.all(asked);
  } finally {
    await holder.end();
    await close();
  }
});

describeWithRedis('with a Redis', () => {
  test.for([{}, { BROKER: 'redis-streams', ROLE: 'all' }])(
    'TEN-20, safety-36: a process with %j that cannot reach its Redis says so and stays ready: what it can do without is done',
    async env => {
      const redis = await startRedisServer({ own: true }); // a process that joins the broker leaves much behind
      if (redis === undefined) throw new Error('this test needs a redis-server of its own');
      let verdict: Verdict = 'pass';
      const proxy = await tcpProxy({ target: targetOf(redis.url), judge: () => verdict });
      const { url, close } = await running({ ...env, REDIS_URL: proxy.through(redis.url) });
      try {
        expect(await ask(url, '/readyz')).toEqual({
          status: 200,
          body: { status: 'ready', checks: { database: 'ok', redis: 'ok' } },
        });
        verdict = 'cut-before';
        expect(await ask(url, '/readyz')).toEqual({
          status: 200,
          body: { status: 'ready', checks: { database: 'ok', redis: 'failed' } },
        });
        verdict = 'pass';
        await waitUntil('it is back', async () => (await ask(url, '/readyz')).body.checks.redis === 'ok');
      } finally {
        await close();
        await proxy.close();
        await redis.stop();
      }
    },
  );
});
