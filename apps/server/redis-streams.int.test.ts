import type { TestDatabase } from '@ghasi/testing/database';
import { describeWithRedis } from '@ghasi/testing/redis';
import { type RedisServer, startRedisServer } from '@ghasi/testing/redis-server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { demoDatabase, serveDemo } from './fixtures/demo-database.ts';
import { deskClient, inDays } from './fixtures/desk-client.ts';
import { type ServerProcess, serve } from './fixtures/server-process.ts';

describeWithRedis('with Redis Streams as broker', () => {
  let database: TestDatabase;
  let redis: RedisServer | undefined;
  const servers: ServerProcess[] = [];
  beforeAll(async () => {
    database = await demoDatabase();
    redis = await startRedisServer({ own: true });
  });
  afterAll(async () => {
    await Promise.all(servers.map(server => server.kill()));
    await redis?.stop();
    await database?.drop();
  });

  test('a booking runs through all services', async () => {
    const inLog = async () =>
      (await database.admin<{ events: bigint }>('select count(*) as events from brokers.log'))[0]?.events;
    const before = await inLog();
    const env = { BROKER: 'redis-streams', REDIS_URL: redis?.url ?? '' };
    const first = await serve({ database, demo: true, env });
    servers.push(first);
    const owner = first.demo.find(({ slug, role }) => slug === 'bala-hissar' && role === 'owner');
    const desk = await deskClient(first.url, owner as NonNullable<typeof owner>);
    const booking = await desk.book({ arrival: inDays(200), departure: inDays(202) }, 'cash_pending');
    expect(booking.status).toBe('confirmed_cash_pending');
    expect(await inLog()).toBe(before); // nothing went the other way
  });

  test.for(['http', 'relay', 'jobs'])(
    'a process in the role %s with the other broker does not start beside it',
    async ROLE => {
      const beside = serveDemo(database, { ROLE, BROKER: 'postgres' });
      await expect(beside).rejects.toMatchObject({ code: 'OTHER_BROKER' });
      const carriers = await database.admin('select distinct broker from brokers.cursor');
      expect(carriers).toEqual([{ broker: 'redis-streams' }]); // commands go by it
    },
  );
});
