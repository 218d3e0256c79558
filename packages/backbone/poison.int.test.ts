import { replayDeadLetters } from '@ghasi/brokers/operations/settle-letters';
import { type TestDatabase, testDatabase } from '@ghasi/testing/database';
import { waitUntil } from '@ghasi/testing/signal';
import { newTenantId } from '@ghasi/testing/tenants';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Market, marketMigrations, OrderChanged, openMarket } from './fixtures/chaos/market.ts';
import { openTransaction } from './fixtures/chaos/open-transaction.ts';
import { chaosTimes } from './fixtures/chaos/worker-task.ts';

const ORDERS = 200;
const VERSIONS = 5;
const poison = { orderId: 'p7', version: 2 };
const [poisoned, clean] = [newTenantId(), newTenantId()];

let database: TestDatabase;
let market: Market;
let isMended = false;
let runsOfPoison = 0;
beforeAll(async () => {
  database = await testDatabase({ migrations: marketMigrations });
  market = openMarket(database, {
    beforeEffect(service, { orderId, version, intent }) {
      if (!intent.startsWith(poisoned) || orderId !== poison.orderId || version !== poison.version) return;
      if (service === 'stock') runsOfPoison++;
      if (!isMended) throw new Error('impossible state');
    },
  });
  await market.start({ ...chaosTimes, retry: { minBackoffMs: 1, maxBackoffMs: 5, maxAttempts: 7 } });
});
afterAll(async () => {
  await market.stop();
  await database.drop();
});

/** The same 1,000 changes for each tenant. */
async function produceAll(): Promise<void> {
  const orders = Array.from({ length: ORDERS }, (_, n) => `p${n}`);
  for (let version = 1; version <= VERSIONS; version++) {
    for (const tenantId of [poisoned, clean]) {
      const transaction = await openTransaction(market, tenantId, `${tenantId}-`);
      await transaction.change(...orders);
      await transaction.commit();
    }
  }
}

const effects = async (service: 'stock' | 'mail', tenantId: string, orderId = '%') => {
  const table = { stock: 'stock.effects', mail: 'mail.effects' }[service];
  const rows = await database.admin<{ version: number }>(
    `select version from ${table} where tenant_id = $1 and order_id like $2 and subject = $3 order by seq`,
    [tenantId, orderId, OrderChanged.subject],
  );
  return rows.map(({ version }) => version);
};

/** What a consumer that applies each key's effects one after the other ends up with. */
const stateHash = async (tenantId: string) => {
  const rows = await database.admin<{ hash: string }>(
    `select md5(string_agg(order_id || '=' || versions, ',' order by order_id)) as hash
     from (
       select order_id, string_agg(version::text, '>' order by seq) as versions
       from stock.effects where tenant_id = $1 group by order_id
     ) keys`,
    [tenantId],
  );
  return rows[0]?.hash;
};

const parked = (service: string) =>
  database.admin<{ state: string; attempts: number; waiting: number; last_error: string }>(
    `select state, attempts, last_error,
            (select count(*)::int from brokers.parked_message m
             where m.subscription = k.subscription and m.park_key = k.park_key) as waiting
     from brokers.parked_key k where subscription = $1`,
    [service],
  );

test('DLQ-07, X-046, DLQ-15: one poison message in 1,000 parks its key alone; replayed after the fix, the state is that of a clean run', async () => {
  await produceAll();
  // Everything else comes through while the key is parked: in its order where order matters, alone where it does not.
  await waitUntil('all others are done', async () => {
    const [inStock, inMail] = [await effects('stock', poisoned), await effects('mail', poisoned)];
    return inStock.length === ORDERS * VERSIONS - 4 && inMail.length === ORDERS * VERSIONS - 1;
  });
  await waitUntil('the key is dead', async () => (await parked('stock-service'))[0]?.state === 'dead');
  await waitUntil('the message is dead', async () => (await parked('mail-service'))[0]?.state === 'dead');
  await waitUntil(
    'the clean run is done',
    async () => (await effects('stock', clean)).length === ORDERS * VERSIONS,
  );
  expect(await parked('stock-service')).toEqual([
    { state: 'dead', attempts: 7, waiting: 4, last_error: 'impossible state' },
  ]);
  expect(await parked('mail-service')).toEqual([
    { state: 'dead', attempts: 7, waiting: 1, last_error: 'impossible state' },
  ]);
  expect(await effects('stock', poisoned, poison.orderId)).toEqual([1]);
  expect((await effects('mail', poisoned, poison.orderId)).toSorted()).toEqual([1, 3, 4, 5]);
  const letters = await database.admin<{ subscription: string }>(
    `select attributes ->> 'subscription' as subscription from brokers.log where topic = $1 order by 1`,
    [`${OrderChanged.subject}.dlq`],
  );
  expect(letters).toEqual([{ subscription: 'mail-service' }, { subscription: 'stock-service' }]);
  expect(await stateHash(poisoned)).not.toBe(await stateHash(clean));

  isMended = true;
  runsOfPoison = 0;
  await replayDeadLetters(market.relay, { actor: 'usr_operator', reason: 'mended' }, {});
  await waitUntil('the key is free', async () => (await parked('stock-service')).length === 0);
  await waitUntil('the message is free', async () => (await parked('mail-service')).length === 0);
  expect(runsOfPoison).toBe(1);
  expect(await effects('stock', poisoned, poison.orderId)).toEqual([1, 2, 3, 4, 5]);
  expect(await effects('mail', poisoned)).toHaveLength(ORDERS * VERSIONS);
  expect(await stateHash(poisoned)).toBe(await stateHash(clean));
});
