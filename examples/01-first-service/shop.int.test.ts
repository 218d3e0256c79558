import { doubleDeliveryContract } from '@ghasi/testing/double-delivery';
import { startSystem } from '@ghasi/testing/system';
import { newTenantId } from '@ghasi/testing/tenants';
import { describe, expect, test } from 'vitest';
import { OrderPlaced } from './orders/contract.ts';
import { placeOrder } from './orders/place-order.ts';
import { orders } from './orders/service.ts';
import { stock } from './stock/service.ts';

test('orders of two tenants reserve stock, each its own', async () => {
  await using system = await startSystem({ services: [orders, stock] });
  const [kabul, herat] = [newTenantId(), newTenantId()];

  await system.run(orders, kabul, placeOrder, { orderId: 'o1', article: 'tea', pieces: 3 });
  await system.run(orders, kabul, placeOrder, { orderId: 'o2', article: 'tea', pieces: 4 });
  await system.run(orders, herat, placeOrder, { orderId: 'o1', article: 'tea', pieces: 5 });
  await system.settled();

  const reserved = await system.query('stock', 'select tenant_id, pieces from reserved order by pieces desc');
  expect(reserved).toEqual([
    { tenant_id: kabul, pieces: 7 },
    { tenant_id: herat, pieces: 5 },
  ]);
});

describe('an order that arrives twice is reserved once', () => {
  const sample = { orderId: 'o1', article: 'tea', pieces: 3 };
  doubleDeliveryContract([orders, stock], { [OrderPlaced.subject]: sample });
});
