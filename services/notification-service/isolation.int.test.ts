import { isolationContract } from '@ghasi/testing/isolation';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
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

describe('TEN-08, safety-3, safety-7, safety-26: every table keeps tenants apart, and what only grows stays', () => {
  isolationContract(
    service,
    () => ({ ...house.system, db: house.system.db(service), own: a.tenantId, other: b.tenantId }),
    { onlyGrows: ['receipts'] },
  );
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
