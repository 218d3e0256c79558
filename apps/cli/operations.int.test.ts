import { changeOrder, type Shop, shopMigrations, startShop } from '@ghasi/backbone/fixtures/shop';
import { ensureCursors } from '@ghasi/brokers/leases';
import type { TenantId } from '@ghasi/domain-primitives/ids';
import { type TestDatabase, testDatabase } from '@ghasi/testing/database';
import { waitUntil } from '@ghasi/testing/signal';
import { newTenantId } from '@ghasi/testing/tenants';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { momentBetween } from './fixtures/moment.ts';
import { printing } from './fixtures/printed.ts';

const topic = 'shop.orders.order.changed.v1';
const reason = ['--reason', 'INC-17 mended', '--actor', 'nadia'];

let database: TestDatabase;
let shop: Shop;
let printed: (args: string[]) => Promise<string>;
beforeAll(async () => {
  database = await testDatabase({ migrations: shopMigrations });
  shop = await startShop(database, { times: { heartbeatMs: 50, ackMs: 50 } });
  printed = printing({ DATABASE_URL: database.adminUrl, MELM_SECRET: database.secret });
});
afterAll(async () => {
  await shop.stop();
  await database.drop();
});

const json = async (args: string[]) => JSON.parse(await printed([...args, '--json']));
const clock = () => momentBetween(database);
const quarantine = (tenantId: TenantId, event: string, count: number) =>
  database.admin(
    `insert into orders.outbox_quarantine
       (id, event_id, occurred_at, lease_epoch, tenant_id, seq, aggregate_type, aggregate_id, aggregate_version, topic, ordering_key, envelope, attributes,
        idempotency_key, enqueued_at, attempts, status, next_attempt_at, reason)
     select md5($1::text || $2::text || n)::uuid, md5($1::text || $2::text || n)::uuid, now(), 0, $1::uuid,
            nextval(pg_get_serial_sequence('orders.outbox', 'seq')), 'order', 'o' || n, 1, $2::text, 'k' || n, '{}', '{}', $2::text || n, now(), 50,
            'dead_letter', now(), '50 attempts'
     from generate_series(1, $3) n`,
    [tenantId, event, count],
  );

test('X-046, X-054: more rows than one transaction takes are all released; a list that is cut says so', async () => {
  const tenantId = newTenantId();
  const since = (await clock()).toISOString();
  await quarantine(tenantId, topic, 1_201);
  await quarantine(tenantId, 'shop.stock.stock.reserved.v1', 2);
  const list = ['outbox', 'quarantine', '--tenant', tenantId];
  expect(await printed(list)).toMatch(/\n… and more than these 50; --limit shows them\n$/);
  expect(await printed([...list, '--limit', '1203'])).not.toContain('… and more');
  expect(await json(list)).toHaveLength(1_203);
  const release = ['outbox', 'release', 'orders', '--all', '--tenant', tenantId, '--topic', topic, '--skip'];
  expect(await printed([...release, ...reason])).toBe('1,201 rows closed without being published.\n');
  expect(await json(list)).toHaveLength(2);
  const steps = await json(['operations', '--since', since, '--tenant', tenantId]);
  expect(steps.map(({ detail }: { detail: { count: number } }) => detail.count)).toEqual([201, 500, 500]);
});

test('X-054, DLQ-25: who releases rows while somebody else closes them says that he did nothing, and leaves no entry', async () => {
  const tenantId = newTenantId();
  await quarantine(tenantId, topic, 2);
  const other = await database.openAs('relay').pool.connect();
  await other.query('begin');
  await other.query(
    `update orders.outbox_quarantine set resolved_at = now(), resolved_by = 'omid' where tenant_id = $1`,
    [tenantId],
  );
  const released = printed(['outbox', 'release', 'orders', '--all', '--tenant', tenantId, ...reason]);
  await waitUntil(
    'the release waits for the other',
    async () =>
      (
        await database.admin(
          `select from pg_stat_activity where wait_event = 'transactionid' and datname = current_database()`,
        )
      ).length > 0,
  );
  await other.query('commit');
  other.release();
  expect(await released).toBe('0 rows put back to be published.\n');
  expect(await json(['operations', '--tenant', tenantId])).not.toContainEqual(
    expect.objectContaining({ action: 'outbox.release' }),
  );
});

test('DLQ-25, BROKER-19: melm operations lists who changed what and why, the latest first, of one tenant what touched it', async () => {
  const [ours, theirs] = [newTenantId(), newTenantId()];
  const since = (await clock()).toISOString();
  await changeOrder(shop.orders, ours, { orderId: 'o7' });
  await waitUntil(
    'it is applied',
    async () => (await database.admin('select from stock.effects')).length === 1,
  );
  const range = ['replay', '--to', 'stock', '--since', since, '--tenant', ours];
  await printed([...range, '--reason', 'INC-18 asked\nby the hotel', '--actor', 'omid']);
  await printed(['seek', 'stock', '--to', 'end', ...reason]);
  expect(await printed(['operations', '--since', since])).toMatch(
    new RegExp(
      [
        '^at +by +what +of +count',
        '─+.*',
        '\\S+Z +nadia +subscription\\.seek +stock-service',
        ' +INC-17 mended',
        '\\S+Z +omid +log\\.replay +stock-service +1',
        ' +INC-18 asked by the hotel',
        ` +tenant ${ours}\n$`,
      ].join('\n'),
    ),
  );
  const actions = async (tenantId: TenantId) =>
    (await json(['operations', '--since', since, '--tenant', tenantId])).map(
      ({ action }: { action: string }) => action,
    );
  expect(await actions(ours)).toEqual(['subscription.seek', 'log.replay']);
  expect(await actions(theirs)).toEqual(['subscription.seek']); // it was moved for all tenants
  expect(await printed(['operations', '--since', since, '--limit', '1'])).toMatch(/… and more than these 1;/);
  expect(await printed(['operations', '--since', new Date().toISOString()])).toBe(
    'Nobody has changed anything.\n',
  );
});

test('DLQ-03, OUTBOX-34: melm subscriptions drop removes who listens no more, and is audited', async () => {
  await ensureCursors(shop.relay, ['spa-service']);
  const drop = ['subscriptions', 'drop', 'spa'];
  expect(await printed([...drop, '--dry-run'])).toBe('spa-service would be removed.\nNothing was changed.\n');
  expect(await printed(['subscriptions', 'list'])).toMatch(/\nspa-service +none +0 /);
  expect(await printed([...drop, ...reason])).toBe('spa-service was removed.\n');
  expect(await printed(['subscriptions'])).not.toContain('spa-service');
  expect(await printed(['operations', '--limit', '1'])).toMatch(
    / nadia +subscription\.drop +spa-service\n +INC-17 mended/,
  );
});

test('DLQ-28: a moment to come is refused by melm inbox clear as by seek and replay; what forgot nothing proposes nothing', async () => {
  const applied = async () => (await database.admin('select from stock.effects')).length;
  const before = await applied();
  await changeOrder(shop.orders, newTenantId(), { orderId: 'o9' });
  await waitUntil('it is applied', async () => (await applied()) > before);
  const clear = (since: Date) => [
    'inbox',
    'clear',
    'stock-service.order-changed',
    '--since',
    since.toISOString(),
  ];
  const later = clear(new Date(Date.now() + 3_600_000));
  await expect(printed([...later, ...reason])).rejects.toThrow(/it is in the future/);
  expect(await printed([...clear(new Date()), ...reason])).toBe(
    'stock-service.order-changed has forgotten 0 events.\n',
  );
});
