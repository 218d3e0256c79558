import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { brokerMigrations } from '@ghasi/brokers/migrations';
import { openClient } from '@ghasi/db/database';
import { startEmbeddedPostgres } from '@ghasi/db/embedded';
import { migrate } from '@ghasi/db/migrate';
import { memoryFolder } from '@ghasi/testing/memory-folder';
import { waitUntil } from '@ghasi/testing/signal';
import { newTenantId } from '@ghasi/testing/tenants';
import { expect, test } from 'vitest';
import { changeOrder, shopMigrations, startShop } from './fixtures/shop.ts';
import { backboneMigrations } from './migrations.ts';

const CRASHES = 3;
const ORDERS = ['o1', 'o2', 'o3', 'o4'];

test('OUTBOX-04, INBOX-02: PostgreSQL crashes under processes that live on, and every committed event has one effect, in order', async () => {
  const folder = await memoryFolder('melm-server-crash-');
  const secret = 'crash-test-secret-of-32-characters-x';
  const server = await startEmbeddedPostgres({ dataDir: join(folder, 'pg'), password: secret });
  await migrate(server.adminUrl, [backboneMigrations, brokerMigrations, ...shopMigrations], { secret });
  const shop = await startShop({ adminUrl: server.adminUrl, secret });
  const tenantId = newTenantId();
  const ask = async <Row>(text: string): Promise<Row[]> => {
    const client = await openClient(server.adminUrl, 'judge');
    try {
      return (await client.query(text, [tenantId])).rows;
    } finally {
      await client.end();
    }
  };
  const effects = () =>
    ask<{ orderId: string; version: number }>(
      'select order_id as "orderId", version from stock.effects where tenant_id = $1 order by seq',
    );
  const life = async () => (await ask<{ id: string }>('select app.boot_id() as id, $1::uuid'))[0]?.id;
  let isOver = false;
  let refused = 0;
  const change = async (orderId: string) => {
    while (!isOver)
      await changeOrder(shop.orders, tenantId, { orderId }).catch(async () => {
        refused++;
        await new Promise(setImmediate);
      });
  };
  try {
    const producers = ORDERS.map(change);
    for (let crash = 0; crash < CRASHES; crash++) {
      const applied = (await effects()).length;
      await waitUntil('events flow', async () => (await effects()).length > applied + 100);
      const [backend] = await ask<{ pid: number }>(
        `select pid from pg_stat_activity where usename = 'relay' and $1::uuid is not null limit 1`,
      );
      const before = await life();
      process.kill(backend?.pid as number, 'SIGKILL'); // the server throws its memory away and recovers from its log
      // For a moment it has not noticed, and still answers.
      await waitUntil(
        'it answers in another life',
        async () => (await life().catch(() => before)) !== before,
      );
    }
    const before = (await effects()).length;
    await waitUntil('events flow again', async () => (await effects()).length > before + 100);
    isOver = true;
    await Promise.all(producers);
    const committed = await ask<{ id: string; version: number }>(
      'select id, version from orders.orders where tenant_id = $1',
    );
    const count = committed.reduce((sum, { version }) => sum + version, 0);
    await waitUntil('all effects are there', async () => (await effects()).length >= count);
    await shop.stop();
    const applied = Map.groupBy(await effects(), ({ orderId }) => orderId);
    for (const { id, version } of committed)
      expect(applied.get(id)?.map(effect => effect.version)).toEqual(
        Array.from({ length: version }, (_, n) => n + 1),
      );
    expect(refused).toBeGreaterThan(0);
  } finally {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
});
