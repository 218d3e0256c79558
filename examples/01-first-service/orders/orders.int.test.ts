import { startSystem } from '@ghasi/testing/system';
import { newTenantId } from '@ghasi/testing/tenants';
import { expect, test } from 'vitest';
import { OrderPlaced } from './contract.ts';
import { placeOrder } from './place-order.ts';
import { orders } from './service.ts';

test('an order that was committed is published, a refused one is not', async () => {
  await using system = await startSystem({ services: [orders] });
  const tenantId = newTenantId();
  const tea = { orderId: 'o1', article: 'tea', pieces: 3 };

  await system.run(orders, tenantId, placeOrder, tea);
  await expect(system.run(orders, tenantId, placeOrder, tea)).rejects.toThrow(/orders_pkey/);
  await system.settled();

  const published = await system.events(OrderPlaced);
  expect(published.map(({ payload }) => payload)).toEqual([tea]);
});
