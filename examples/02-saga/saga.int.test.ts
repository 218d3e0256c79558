import { PLATFORM_TENANT_ID } from '@ghasi/domain-primitives/ids';
import { enqueue } from '@ghasi/jobs/enqueue';
import { doubleDeliveryContract } from '@ghasi/testing/double-delivery';
import { type System, startSystem } from '@ghasi/testing/system';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openShop } from './fixtures/shop.ts';
import { OrderCancelled, OrderConfirmed, OrderPlaced, RefundRequested } from './orders/contract.ts';
import { PAYMENT_MS, placeOrder, stockReserved } from './orders/order-saga.ts';
import { orders, sweepDeadlines } from './orders/service.ts';
import { PaymentTaken } from './payments/contract.ts';
import { payments, takePayment } from './payments/service.ts';
import { StockRefused, StockReserved } from './stock/contract.ts';
import { stock } from './stock/service.ts';

const services = [orders, stock, payments];
let system: System;
beforeAll(async () => {
  system = await startSystem({ services });
});
afterAll(() => system.stop());

describe('an order', () => {
  test('with stock and money is confirmed', async () => {
    const shop = await openShop(system);
    await shop.place('o1');
    await system.settled();
    expect(await shop.stands('o1')).toEqual(['open', 7, undefined]);
    await shop.pay('o1');
    await system.settled();
    expect(await shop.stands('o1')).toEqual(['confirmed', 7, 'taken']);
  });

  test('for more than there is is cancelled, and nothing was taken', async () => {
    const shop = await openShop(system);
    await shop.place('o1', 11);
    await system.settled();
    expect(await shop.stands('o1')).toEqual(['cancelled', 10, undefined]);
  });

  test('that nobody pays for gives its stock back once its time is over, and not before', async () => {
    const shop = await openShop(system);
    await shop.place('o1');
    await system.settled();
    expect(await shop.sweep(PAYMENT_MS - 1_000)).toBe(0);
    expect(await shop.sweep(PAYMENT_MS + 1_000)).toBe(1);
    expect(await shop.sweep(PAYMENT_MS + 1_000)).toBe(0); // again: nothing is left to do
    await system.settled();
    expect(await shop.stands('o1')).toEqual(['cancelled', 10, undefined]);
  });
});

describe('a signal', () => {
  test('that comes too late is answered with its compensation, once', async () => {
    const shop = await openShop(system);
    await shop.place('o1');
    await system.settled();
    await shop.sweep(PAYMENT_MS + 1_000);
    await shop.pay('o1');
    await system.settled();
    await system.publish(shop.tenantId, [PaymentTaken.from({ orderId: 'o1' }, { aggregateVersion: 1 })]);
    await system.settled();
    expect(await shop.stands('o1')).toEqual(['cancelled', 10, 'refunded']);
    const asked = (await system.events(RefundRequested)).filter(one => one.tenantId === shop.tenantId);
    expect(asked).toHaveLength(1);
  });

  test('that comes twice changes nothing the second time, also under another id', async () => {
    const shop = await openShop(system);
    await shop.place('o1');
    await shop.pay('o1');
    await system.settled();
    const twice = [PaymentTaken, StockReserved].map(event =>
      event.from({ orderId: 'o1' }, { aggregateVersion: 2 }),
    );
    await system.publish(shop.tenantId, twice);
    await system.settled();
    expect(await shop.stands('o1')).toEqual(['confirmed', 7, 'taken']);
    const told = (await system.events(OrderConfirmed)).filter(one => one.tenantId === shop.tenantId);
    expect(told).toHaveLength(1);
  });

  test.each([
    ['stock', StockReserved, ['confirmed', 10, 'taken']],
    ['a refusal', StockRefused, ['cancelled', 10, 'refunded']],
    ['the deadline', undefined, ['cancelled', 10, 'refunded']],
  ])(
    'that comes before %s is remembered, and goes back if the order comes to nothing',
    async (_, next, end) => {
      const shop = await openShop(system);
      await shop.placeUnheard('o1'); // stock has not answered yet
      await shop.pay('o1');
      await system.settled();
      expect(await shop.stands('o1')).toEqual(['open', 10, 'taken']);
      if (next === undefined) await shop.sweep(PAYMENT_MS + 1_000);
      else await system.publish(shop.tenantId, [next.from({ orderId: 'o1' }, { aggregateVersion: 1 })]);
      await system.settled();
      expect(await shop.stands('o1')).toEqual(end);
    },
  );

  test('that races the deadline wins or loses, and the end fits either way', async () => {
    const shop = await openShop(system);
    const ids = Array.from({ length: 10 }, (_, n) => `o${n}`);
    for (const id of ids) await shop.place(id, 1);
    await system.settled();
    await Promise.all(ids.flatMap(id => [shop.pay(id), shop.sweep(PAYMENT_MS + 1_000)]));
    await system.settled();
    const ends = await Promise.all(ids.map(id => shop.stands(id)));
    const confirmed = ends.filter(([state, , money]) => state === 'confirmed' && money === 'taken');
    const cancelled = ends.filter(([state, , money]) => state === 'cancelled' && money === 'refunded');
    expect(confirmed.length + cancelled.length).toBe(ids.length);
    expect(ends[0]?.[1]).toBe(10 - confirmed.length);
  });
});

test('the sweeper is a job: it finds overdue orders of every tenant', async () => {
  const shops = [await openShop(system), await openShop(system)];
  for (const shop of shops) await shop.place('o1');
  await system.settled();
  await system.query('orders', `update orders set deadline_at = now() where state = 'open'`);
  await system.run(orders, PLATFORM_TENANT_ID, ctx => enqueue(ctx, sweepDeadlines, {}), undefined);
  await system.settled();
  for (const shop of shops) expect(await shop.stands('o1')).toEqual(['cancelled', 10, undefined]);
});

describe('every reaction takes a message twice', () => {
  const orderId = 'o1';
  const placed = { orderId, article: 'tea', pieces: 3 };
  const about = [StockReserved, StockRefused, PaymentTaken, RefundRequested].map(({ subject }) => [
    subject,
    { orderId },
  ]);
  const samples = {
    [OrderPlaced.subject]: placed,
    [OrderCancelled.subject]: { orderId, reason: 'too_late' },
  };
  doubleDeliveryContract(
    services,
    { ...Object.fromEntries(about), ...samples },
    {
      arrange: {
        [`orders-service ${StockReserved.subject}`]: async ctx => void (await placeOrder(ctx, placed)),
        [`orders-service ${StockRefused.subject}`]: async ctx => void (await placeOrder(ctx, placed)),
        [`orders-service ${PaymentTaken.subject}`]: async ctx => {
          await placeOrder(ctx, placed);
          await stockReserved(ctx, { orderId });
        },
        [`stock-service ${OrderCancelled.subject}`]: async ctx => {
          await ctx.tx.$client.query(
            `insert into stock.articles values ('${ctx.tenantId}', 'tea', 7);
             insert into stock.reserved values ('${ctx.tenantId}', 'o1', 'tea', 3)`,
          );
        },
        [`payments-service ${RefundRequested.subject}`]: async ctx =>
          void (await takePayment(ctx, { orderId })),
      },
    },
  );
});
