import { openClient } from '@ghasi/db/database';
import { type TestDatabase, testDatabase } from '@ghasi/testing/database';
import { waitUntil } from '@ghasi/testing/signal';
import { newTenantId } from '@ghasi/testing/tenants';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { createSubscriber } from './consumer.ts';
import type { Service } from './define-service.ts';
import {
  type Change,
  changeOrder,
  type Market,
  marketMigrations,
  marketParts,
  marketServices,
  openMarket,
} from './fixtures/chaos/market.ts';
import { ModelConsumer } from './fixtures/chaos/model-consumer.ts';
import { openTransaction } from './fixtures/chaos/open-transaction.ts';
import {
  logOf,
  meet,
  metNothing,
  type OutboxModel,
  outboxCommands,
  type RealOutbox,
} from './fixtures/chaos/outbox-commands.ts';
import { Mover, type MoverOptions } from './mover.ts';

// CI runs 200 sequences; the nightly run asks for 20000.
const numRuns = Number(process.env.MELM_MODEL_RUNS ?? 200);

let database: TestDatabase;
let market: Market;
let consumer: ModelConsumer;
beforeAll(async () => {
  database = await testDatabase({ migrations: marketMigrations });
  consumer = new ModelConsumer(database);
  market = consumer.market;
  await consumer.start();
});
afterAll(async () => {
  await consumer.stop();
  await database.drop();
});

test('M4, OUTBOX-38, OUTBOX-39: whatever transactions, movers, redelivery and failing messages do, the log holds the committed events in order and each has one effect, in order', async () => {
  const met = metNothing();
  const sequences = fc.commands(outboxCommands(), { maxCommands: 50, size: 'max' });
  await fc.assert(
    fc.asyncProperty(
      sequences,
      fc.boolean(),
      fc.subarray(['a', 'b', 'c']),
      async (commands, alone, failing) => {
        const model: OutboxModel = { committed: [], open: new Map(), unmoved: 0, met };
        const movers = [await settledMover(), ...(alone ? [] : [new Mover(market.relay, 'orders')])];
        const real: RealOutbox = {
          ...{ database, market, consumer, movers },
          ...{ tenantId: newTenantId(), transactions: new Map(), delivered: { count: 0 } },
        };
        for (const orderId of failing) consumer.failing.add(orderId);
        try {
          await fc.asyncModelRun(() => ({ model, real }), commands);
          await finish(model, real, movers[0] as Mover);
        } finally {
          consumer.failing.clear();
          for (const transaction of real.transactions.values()) await transaction.abort();
          await database.admin('delete from orders.outbox');
        }
        await expectSame(model, real);
      },
    ),
    { numRuns },
  );
  for (const [what, times] of Object.entries(met)) expect(times, `${what} was met`).toBeGreaterThan(0);
}, 600_000);

/** A mover that has been at work for a while: it goes by what it has seen, and no longer from the beginning. */
async function settledMover(options?: MoverOptions): Promise<Mover> {
  const mover = new Mover(market.relay, 'orders', options);
  for (let n = 0; n < 2; n++) {
    await changeOrder(market, newTenantId(), 'first');
    await mover.pass();
  }
  return mover;
}

/** Commits what is open, lets one of the movers as it is, with what it remembers, take the rest, and mends what fails. */
async function finish(model: OutboxModel, real: RealOutbox, survivor: Mover): Promise<void> {
  for (const [connection, transaction] of real.transactions) {
    await transaction.commit();
    real.transactions.delete(connection);
    model.committed.push(...(model.open.get(connection) ?? []));
  }
  while ((await survivor.pass()) > 0);
  expect(await database.admin('select from orders.outbox')).toEqual([]);
  if ((await consumer.parked(real.tenantId)).dead > 0) meet(model, 'dead letter applied');
  await consumer.finish(real.tenantId);
}

async function expectSame({ committed }: OutboxModel, { tenantId }: RealOutbox): Promise<void> {
  const log = await logOf(database, tenantId);
  const first = new Map(log.toReversed().map(({ eventId, envelope }) => [eventId, envelope]));
  const events = log.map(({ eventId }) => eventId).filter((id, place, all) => all.indexOf(id) === place);
  const logged = events.map(id => JSON.parse(first.get(id) ?? '').payload as Change);
  expect(byKey(logged)).toEqual(byKey(committed));

  const effects = await database.admin<Change>(
    'select order_id as "orderId", version, intent from stock.effects where tenant_id = $1 order by seq',
    [tenantId],
  );
  expect(byKey(effects)).toEqual(byKey(committed));
}

const byKey = (changes: readonly Change[]) => ({
  ...Object.groupBy(
    changes.map(({ orderId, version, intent }) => ({ orderId, version, intent })),
    ({ orderId }) => orderId,
  ),
});

test('INBOX-01: a batch that was applied before is recognised in as many statements as one message', async () => {
  const again = openMarket(database);
  onTestFinished(() => again.stop());
  let statements = 0;
  again.stock.pool.on('connect', client => {
    const query = client.query.bind(client) as (...given: unknown[]) => unknown;
    client.query = ((...given: unknown[]) => {
      statements++;
      return query(...given);
    }) as typeof client.query;
  });
  const consumer = createSubscriber({
    ...marketParts(database),
    service: marketServices().find(({ schema }) => schema === 'stock') as Service,
    db: again.stock,
    outbox: again.backbone.outboxOf('stock'),
  });
  const tenantId = newTenantId();
  for (let n = 0; n < 20; n++) await changeOrder(market, tenantId, `o${n}`);
  const mover = new Mover(market.relay, 'orders');
  while ((await mover.pass()) > 0);
  const log = await logOf(database, tenantId);
  await consumer.handle(log, undefined);
  const statementsFor = async (batch: typeof log) => {
    statements = 0;
    await consumer.handle(batch, undefined);
    return statements;
  };
  expect(await statementsFor(log)).toBe(await statementsFor(log.slice(0, 1)));
});

test('OUTBOX-38: a number that a younger transaction drew and has not committed yet is waited for', async () => {
  const tenantId = newTenantId();
  const mover = await settledMover();
  const older = await openTransaction(market, tenantId);
  await older.change('a');
  const younger = await openTransaction(market, tenantId);
  await younger.change('b');
  await older.change('a'); // drawn after the other's number, committed before it
  await older.commit();
  expect(await mover.pass()).toBe(2);
  expect(await mover.pass()).toBe(0); // the younger one still runs, though no snapshot lists it
  await younger.commit();
  expect(await mover.pass()).toBe(1);
});

test('OUTBOX-38: the first pass of a day, which has its own number before it looks, waits for a younger transaction too', async () => {
  const tenantId = newTenantId();
  const mover = await settledMover();
  await waitUntil('it no longer looks from the beginning', async () => {
    await mover.pass();
    return !mover.hasHoles;
  });
  await database.admin('update brokers.log_day set day = day - 1');
  const midnight = await openClient(database.adminUrl, 'midnight');
  onTestFinished(() => midnight.end());
  await midnight.query('begin');
  await midnight.query('select from brokers.log_day for update');
  const pass = mover.pass();
  await waitUntil('the pass begins the day', async () => {
    const waiting = await database.admin(
      `select from pg_stat_activity
       where wait_event_type = 'Lock' and datname = current_database() and backend_xid is not null`,
    );
    return waiting.length === 1;
  });
  const younger = await openTransaction(market, tenantId);
  await younger.change('a');
  const next = await openTransaction(market, tenantId);
  await next.change('b');
  await next.commit();
  await midnight.query('commit');
  expect(await pass).toBe(1);
  expect(await mover.pass()).toBe(0);
  await younger.commit();
  expect(await mover.pass()).toBe(1);
});

test.each([
  ['starts', async () => new Mover(market.relay, 'orders')],
  ['has been at it', () => settledMover()],
])(
  'OUTBOX-38: a mover that %s beside a transaction with more events than one pass takes keeps the order of its keys',
  async (_, open) => {
    const tenantId = newTenantId();
    const orders = Array.from({ length: 300 }, (_, n) => `big-${n}`);
    const mover = await open();
    const big = await openTransaction(market, tenantId);
    await big.change(...orders);
    const small = await openTransaction(market, tenantId);
    await small.change('small');
    await small.commit();
    expect(await mover.pass()).toBe(1);
    await big.commit();
    expect(await mover.pass()).toBe(256);
    const next = await openTransaction(market, tenantId);
    await next.change(...orders.slice(-5));
    await next.commit();
    while ((await mover.pass()) > 0);
    const log = await logOf(database, tenantId);
    const versions = log.map(({ envelope }) => JSON.parse(envelope).payload as Change);
    expect(versions).toHaveLength(306);
    for (const orderId of orders.slice(-5))
      expect(versions.filter(change => change.orderId === orderId).map(({ version }) => version)).toEqual([
        1, 2,
      ]);
  },
);

test('OUTBOX-38: a row that appears where nobody expects one is found by the look of every minute', async () => {
  const tenantId = newTenantId();
  const mover = await settledMover({ lookMs: 100 }); // and not a minute
  await waitUntil('it no longer looks from the beginning', async () => {
    await mover.pass();
    return !mover.hasHoles;
  });
  const lost = await openTransaction(market, tenantId);
  await lost.change('lost');
  await lost.commit();
  await moveFarBelow(tenantId, 1);
  await waitUntil('the row is moved', async () => (await mover.pass()) === 1);
  expect(await logOf(database, tenantId)).toHaveLength(1);
});

test('DLQ-39: after a failover, numbers that began again far below are found as fast as they can be moved', async () => {
  const tenantId = newTenantId();
  const mover = await settledMover();
  await waitUntil('it no longer looks from the beginning', async () => {
    await mover.pass();
    return !mover.hasHoles;
  });
  const lost = await openTransaction(market, tenantId);
  await lost.change('lost');
  await lost.commit();
  await moveFarBelow(tenantId, 2_500);
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  vi.advanceTimersByTime(3_600_000); // it is time for one look, and for no other
  await waitUntil('all rows are in the log', async () => {
    await mover.pass();
    return (await logOf(database, tenantId)).length === 2_500;
  });
});

/** Takes the tenant's only row out of the outbox and puts so many like it where no mover expects any. */
function moveFarBelow(tenantId: string, copies: number) {
  return database.admin(
    `with gone as (delete from orders.outbox where tenant_id = $1 returning *)
     insert into orders.outbox (id, seq, tenant_id, aggregate_type, aggregate_id, aggregate_version, topic, ordering_key,
                                envelope, attributes, idempotency_key)
     overriding system value
     select gen_random_uuid(), -n, tenant_id, aggregate_type, aggregate_id, aggregate_version, topic, ordering_key, envelope,
            attributes, idempotency_key || n
     from gone, generate_series(1, $2::int) n`,
    [tenantId, copies],
  );
}
