import { changeOrder, OrderChanged, orders, shopMigrations, startShop } from '@ghasi/backbone/fixtures/shop';
import { testDatabase } from '@ghasi/testing/database';
import { waitUntil } from '@ghasi/testing/signal';
import { newTenantId } from '@ghasi/testing/tenants';
import { expect, test } from 'vitest';
import { asyncApiDocument } from './asyncapi.ts';
import { topicsOf } from './pubsub/topology.ts';

test('ENV-32, OUTBOX-27: the log shows id, subject, tenant and key of a message without its body, and beside it the headers of AsyncAPI and no others', async () => {
  const database = await testDatabase({ migrations: shopMigrations });
  const shop = await startShop(database, { consumers: false });
  try {
    const tenantId = newTenantId();
    await changeOrder(shop.orders, tenantId, { orderId: 'o1' });
    const row = await waitUntil('the message', async () => {
      const rows = await database.admin<{
        envelope: { eventId: string };
        attributes: object;
        event_id: string;
      }>('select event_id, topic, tenant_id, ordering_key, envelope, attributes from brokers.log');
      return rows[0];
    });
    const { envelope, attributes, ...shown } = row;
    expect(shown).toEqual({
      event_id: envelope.eventId,
      topic: OrderChanged.subject,
      tenant_id: tenantId,
      ordering_key: `${tenantId}:o1`,
    });
    const document = asyncApiDocument(
      [OrderChanged],
      topicsOf([orders], { services: [], sink: 'warehouse' }),
    );
    const { components } = document as { components: { schemas: { attributes: { required: string[] } } } };
    expect(Object.keys(attributes).sort()).toEqual(components.schemas.attributes.required.toSorted());
  } finally {
    await shop.stop();
    await database.drop();
  }
});
