import { sql } from '@ghasi/db/drizzle';
import { rows } from '@ghasi/db/sql';
import { doubleDeliveryContract } from '@ghasi/testing/double-delivery';
import { describe } from 'vitest';
import { OrderChanged, orders, recordEffect, StockReserved, stock } from './fixtures/shop.ts';
import { on } from './reaction.ts';

const versions = [1, 2, 3];
const samples = {
  [OrderChanged.subject]: versions.map(version => ({ orderId: 'o1', version, note: '' })),
};

describe('a reaction with an effect', () => {
  doubleDeliveryContract([orders, stock()], samples);
});

describe('a reaction with an effect and an event, in any order', () => {
  const reserve = on(OrderChanged, async (ctx, { orderId, version }) => {
    await recordEffect(ctx, { orderId, version });
    return [StockReserved.from({ orderId, version }, { aggregateVersion: version })];
  });
  doubleDeliveryContract([orders, stock([reserve], { order: 'any' })], samples);
});

describe('a reaction that would fail if it were run twice', () => {
  const onlyOnce = on(OrderChanged, async (ctx, { orderId, version }) => {
    const before = sql`select from stock.effects where order_id = ${orderId} and version = ${version}`;
    if ((await rows(ctx.tx, before)).length > 0) throw new Error('it was run before');
    await recordEffect(ctx, { orderId, version });
  });
  doubleDeliveryContract([orders, stock([onlyOnce])], samples);
});
