import { getTableName, sql } from '@ghasi/db/drizzle';
import { isPrivilegeViolation } from '@ghasi/db/pg-errors';
import { rows } from '@ghasi/db/sql';
import { systemTransaction, tenantTransaction } from '@ghasi/db/tenant-transaction';
import { drizzleDrift } from '@ghasi/testing/drizzle-drift';
import { testActor } from '@ghasi/testing/tenants';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type House, type MessageView, openHouse, type Person } from './fixtures/house.ts';
import type { Stay } from './fixtures/stay.ts';
import { defaultSettings } from './queries/settings.ts';
import { service } from './service.ts';

let house: House;
let a: Person;
let b: Person;
let stayOfA: Stay;
beforeAll(async () => {
  house = await openHouse();
  [a, b] = [house.newPerson(), house.newPerson()];
  stayOfA = await fill(a);
  await fill(b);
  await house.settle();
  await house.sms.quiet();
});
afterAll(() => house?.close());

/** Something in every table: settings, own words, an opt-out, and a message with its receipt. */
async function fill(owner: Person): Promise<Stay> {
  const words = { version: 0, subject: '{hotel}', body: '{hotel}', short: '{hotel}' };
  await house.send(owner, 'PUT', '/message-settings', defaultSettings);
  await house.send(owner, 'PUT', '/message-templates/welcome/en', words);
  const optOut = { channel: 'email', address: 'x@guest.example', scope: 'all' };
  await house.send(owner, 'POST', '/message-opt-outs', optOut);
  const stay = house.guest(owner.tenantId);
  await house.system.publish(owner.tenantId, [stay.confirmed()]);
  return stay;
}

const owned = Object.values(service.tables).map(getTableName);
const table = (name: string) => sql`${sql.identifier('notification')}.${sql.identifier(name)}`;
const db = () => house.system.db(service);

test('the Drizzle tables and the migrated database are the same, in both directions', async () => {
  expect(await drizzleDrift(house.system.database, service.schema, service.tables)).toEqual([]);
});

test.each(owned)('TEN-08: a tenant sees its own rows of notification.%s and nobody else’s', async name => {
  const seen = await tenantTransaction(db(), { tenantId: a.tenantId, actor: testActor }, ({ tx }) =>
    rows<{ tenant_id: string }>(tx, sql`select tenant_id from ${table(name)}`),
  );
  expect(new Set(seen.map(one => one.tenant_id))).toEqual(new Set([a.tenantId]));
  const none = await systemTransaction(db(), { actor: testActor }, ({ tx }) =>
    rows(tx, sql`select 1 from ${table(name)}`),
  );
  expect(none).toEqual([]);
});

test.each(owned)('safety-7: a row of notification.%s cannot be written into another tenant', async name => {
  const attempt = tenantTransaction(db(), { tenantId: a.tenantId, actor: testActor }, ({ tx }) =>
    rows(
      tx,
      sql`insert into ${table(name)}
          select (jsonb_populate_record(t, jsonb_build_object('tenant_id', ${b.tenantId}::text))).*
          from ${table(name)} t
          limit 1`,
    ),
  );
  expect(await attempt.then(() => false, isPrivilegeViolation)).toBe(true);
});

test('safety-11: over HTTP another tenant’s messages do not exist', async () => {
  const [{ messageId }] = (await house.messages(a.tenantId, stayOfA)) as [MessageView];
  expect((await house.send(a, 'GET', `/messages/${messageId}`)).status).toBe(200);
  expect((await house.send(b, 'GET', `/messages/${messageId}`)).status).toBe(404);
  expect((await house.send(b, 'POST', `/messages/${messageId}/resend`, {})).status).toBe(404);
  expect(await house.messages(b.tenantId, stayOfA)).toEqual([]);
});

test('what one tenant’s guest stopped does not stop another’s, and two lists of hashes cannot be compared', async () => {
  const hashes = await house.system.database.admin<{ hash: string }>(
    'select address_hash as hash from notification.suppressions',
  );
  expect(new Set(hashes.map(({ hash }) => hash)).size).toBe(2); // one address, two tenants
  const other = house.newPerson();
  const guest = house.guest(other.tenantId, { email: 'x@guest.example' });
  await house.tell(other.tenantId, guest.checkInStarted());
  const sent = { channel: 'email', status: 'dispatched' };
  expect(await house.messages(other.tenantId, guest)).toMatchObject([sent]);
});
