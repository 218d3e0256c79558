import { randomUUID } from 'node:crypto';
import { changeOrder, type Shop, shopMigrations, startShop } from '@ghasi/backbone/fixtures/shop';
import { ensureCursors } from '@ghasi/brokers/leases';
import { openRedisStreamsBroker, type RedisStreamsBroker } from '@ghasi/brokers/redis-streams-broker';
import type { Database } from '@ghasi/db/database';
import { AppError } from '@ghasi/domain-primitives/errors';
import { createMetrics } from '@ghasi/telemetry/metrics';
import { type TestDatabase, testDatabase } from '@ghasi/testing/database';
import { describeWithRedis } from '@ghasi/testing/redis';
import { waitUntil } from '@ghasi/testing/signal';
import { newTenantId } from '@ghasi/testing/tenants';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { printing } from './fixtures/printed.ts';

const reason = ['--reason', 'INC-20', '--actor', 'nadia'];
const since = ['--since', new Date(Date.now() - 3_600_000).toISOString()];

describeWithRedis('melm on Redis Streams', url => {
  const metrics = createMetrics();
  let database: TestDatabase;
  let relay: Database;
  let broker: RedisStreamsBroker;
  let shop: Shop;
  let printed: (args: string[], more?: Record<string, string>) => Promise<string>;
  beforeAll(async () => {
    database = await testDatabase({ migrations: shopMigrations });
    relay = database.openAs('relay');
    const times = { heartbeatMs: 50, pollMs: 50, markMs: 50 };
    broker = await openRedisStreamsBroker({ url, db: relay, namespace: `test-${randomUUID()}`, times });
    shop = await startShop(database, { broker, metrics });
    printed = printing({ DATABASE_URL: database.adminUrl, MELM_SECRET: database.secret });
  });
  afterAll(async () => {
    await shop?.stop();
    await broker?.close();
    await relay?.close();
    await metrics.close();
    await database?.drop();
  });

  const applied = async () => (await database.admin('select from stock.effects')).length;
  const places = () =>
    database.admin('select subscription, shard, off, epoch, generation from brokers.cursor order by 1, 2');
  const skips = async () =>
    Number(/melmastoon_inbox_dedup_skips_total\{[^}]*\} (\d+)/.exec(await metrics.render())?.[1] ?? 0);

  test.each([
    ['seek', ['seek', 'stock', '--to', 'end', ...reason]],
    [
      'seek of one tenant',
      ['seek', 'stock', '--to', since[1] as string, '--tenant', newTenantId(), ...reason],
    ],
    ['replay', ['replay', '--to', 'stock', ...since, ...reason]],
    ['inbox clear', ['inbox', 'clear', 'stock-service.order-changed', ...since, ...reason]],
  ])('DLQ-26: %s has no log to work on: it says what to do instead and moves nothing', async (_, args) => {
    const before = await places();
    // The shell of whoever types it may know the broker or not.
    for (const env of [{}, { BROKER: 'redis-streams', REDIS_URL: url }]) {
      const refusal = await printed(args, env).catch((error: unknown) => error);
      expect(refusal).toBeInstanceOf(AppError);
      expect((refusal as AppError).message).toMatch(
        /^Nothing was changed: stock.* reads from redis-streams, .* "melm republish --since <moment>": [^\n]*$/,
      );
    }
    expect(await places()).toEqual(before);
    expect(await database.admin('select from brokers.operation')).toEqual([]);
  });

  test('OBS-15: how far behind a subscription is, is not in PostgreSQL: melm subscriptions says unknown', async () => {
    expect(await printed(['subscriptions'])).toMatch(/\nstock-service +1 +unknown +unknown +0 +0 +0\n/);
    expect(JSON.parse(await printed(['subscriptions', '--json']))).toEqual([
      expect.objectContaining({ broker: 'redis-streams', lag: null, lagSeconds: null }),
    ]);
  });

  test('DLQ-24, DLQ-25, DLQ-39: what was published comes once more, of one tenant, and inboxes know it', async () => {
    const [ours, theirs] = [newTenantId(), newTenantId()];
    for (const tenantId of [ours, ours, theirs]) await changeOrder(shop.orders, tenantId, { orderId: 'o1' });
    await waitUntil('all are applied and in the archive', async () => {
      const kept = await database.admin('select from orders.outbox_archive');
      return kept.length === 3 && (await applied()) === 3;
    });
    const command = ['republish', ...since, '--tenant', ours];
    expect(await printed([...command, '--dry-run'])).toBe(
      '2 events would be published once more. Nothing was changed.\n',
    );
    expect(await skips()).toBe(0);
    expect(await printed([...command, ...reason])).toMatch(/^2 events will be published once more\. Inboxes/);
    await waitUntil('the inbox passed over both', async () => (await skips()) === 2);
    expect(await applied()).toBe(3);
    expect(
      await database.admin(
        `select actor, reason, (detail ->> 'count')::int as count, detail ->> 'tenantId' as tenant
         from brokers.operation where action = 'outbox.republish'`,
      ),
    ).toEqual([{ actor: 'nadia', reason: 'INC-20', count: 2, tenant: ours }]);
  });

  test.each([
    ['a moment to come', new Date(Date.now() + 3_600_000), /it is in the future/],
    ['a moment 8 days ago', new Date(Date.now() - 8 * 86_400_000), /what was published is kept 7 days/],
  ])('DLQ-39: %s is refused', async (_, moment, line) => {
    await expect(printed(['republish', '--since', moment.toISOString(), ...reason])).rejects.toThrow(line);
  });

  test('DLQ-03: a dropped subscription leaves a group in Redis, and the command says how it is destroyed', async () => {
    await broker.prepare(['spa-service']);
    const destroy = 'XGROUP DESTROY melm:broker:shard:\\$n spa-service';
    expect(await printed(['subscriptions', 'drop', 'spa', ...reason])).toMatch(
      new RegExp(
        `^spa-service was removed\\.\\n {2}What it has not read it will never get\\.\\n {2}Redis keeps its group .*${destroy}`,
      ),
    );
  });

  test('DLQ-26: an installation that went back to PostgreSQL has a log to work on again', async () => {
    await ensureCursors(relay, ['stock-service']); // as every process does when it starts
    const [status] = JSON.parse(await printed(['subscriptions', '--json']));
    expect(status).toMatchObject({ broker: 'postgres', lag: { count: 0 } });
    const [told] = JSON.parse(
      await printed(['subscriptions', '--json'], { BROKER: 'redis-streams', REDIS_URL: url }),
    );
    expect(told).toMatchObject({ broker: 'redis-streams', lag: null }); // a shell that knows better is believed
    expect(await printed(['seek', 'stock', '--to', 'end', '--dry-run'])).toMatch(
      /^stock-service would stand/,
    );
  });
});
