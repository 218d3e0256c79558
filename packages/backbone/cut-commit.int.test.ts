import { sql } from '@ghasi/db/drizzle';
import { execute } from '@ghasi/db/sql';
import { type TestDatabase, testDatabase } from '@ghasi/testing/database';
import { waitUntil } from '@ghasi/testing/signal';
import { carriesCommit, targetOf, tcpProxy, type Verdict } from '@ghasi/testing/tcp-proxy';
import { newTenantId } from '@ghasi/testing/tenants';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  changeOrder,
  OrderChanged,
  recordEffect,
  shopMigrations,
  startShop,
  stock,
} from './fixtures/shop.ts';
import { on, type Reaction } from './reaction.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase({ migrations: shopMigrations });
});
afterAll(() => database.drop());

/** In one packet from BEGIN to COMMIT. */
const writes = on(OrderChanged, (ctx, { orderId, version }) => {
  ctx.write(
    execute(
      ctx.tx,
      sql`insert into stock.effects (tenant_id, order_id, version) values (${ctx.tenantId}, ${orderId}, ${version})`,
    ),
  );
});
const waits = on(OrderChanged, recordEffect);

const effectsOf = (tenantId: string) =>
  database.admin<{ version: number }>('select version from stock.effects where tenant_id = $1 order by seq', [
    tenantId,
  ]);

test.each([
  ['that waits for nothing', writes, 'one packet'],
  ['that waits for an answer', waits, 'several'],
])(
  'INBOX-02: a reaction %s has its effect once, in order, though its line is cut at COMMIT',
  async (_, reaction, packets) => {
    const tenantId = newTenantId();
    const seen = { 'cut-before': 0, pass: 0, 'cut-after': 0, swallow: 0, 'from BEGIN to COMMIT': 0 };
    let commits = 0;
    const judge = (chunk: Buffer): Verdict => {
      if (!carriesCommit(chunk)) return 'pass';
      if (chunk.includes(tenantId)) seen['from BEGIN to COMMIT']++;
      const verdict = (['cut-before', 'pass', 'cut-after'] as const)[commits++ % 3] as Verdict;
      seen[verdict]++;
      return verdict;
    };
    const proxy = await tcpProxy({ target: targetOf(database.adminUrl), judge });
    const behind = { adminUrl: proxy.through(database.adminUrl), secret: database.secret };
    const producer = await startShop(database, { consumers: false });
    const consumer = await startShop(behind, { relay: false, stock: stock([reaction as Reaction]) });
    const versions = [1, 2, 3, 4, 5, 6];
    for (const version of versions) {
      await changeOrder(producer.orders, tenantId, { orderId: 'o1' });
      await waitUntil(`effect ${version}`, async () => (await effectsOf(tenantId)).length >= version);
    }
    await consumer.stop();
    await producer.stop();
    await proxy.close();
    expect((await effectsOf(tenantId)).map(({ version }) => version)).toEqual(versions);
    expect(seen['cut-before']).toBeGreaterThan(0);
    expect(seen['cut-after']).toBeGreaterThan(0);
    expect(seen['from BEGIN to COMMIT'] > 0).toBe(packets === 'one packet');
  },
);
