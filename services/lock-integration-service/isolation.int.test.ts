import { getTableName, sql } from '@ghasi/db/drizzle';
import { isPrivilegeViolation } from '@ghasi/db/pg-errors';
import { rows } from '@ghasi/db/sql';
import { systemTransaction, tenantTransaction } from '@ghasi/db/tenant-transaction';
import { drizzleDrift } from '@ghasi/testing/drizzle-drift';
import { testActor } from '@ghasi/testing/tenants';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type House, type KeyView, type LockedHotel, openHouse } from './fixtures/house.ts';
import { inHours, newStay, type Stay } from './fixtures/stay.ts';
import { service } from './service.ts';

let house: House;
let a: LockedHotel;
let b: LockedHotel;
let stayOfA: Stay;
let keyOfA: KeyView;
beforeAll(async () => {
  house = await openHouse();
  [a, b] = [await house.newHotel('ttlock', { rooms: 1 }), await house.newHotel('ttlock', { rooms: 1 })];
  stayOfA = await fill(a);
  await fill(b);
  keyOfA = (await house.keys(a.owner, stayOfA))[0] as KeyView;
});
afterAll(() => house?.close());

/** Something in every table. */
async function fill(of: LockedHotel): Promise<Stay> {
  const window = { from: inHours(-1), until: inHours(40) };
  const stay = newStay({ hotel: of, window, rooms: [of.rooms[0]?.roomId ?? null] });
  await house.tell(of.tenantId, stay.confirmed(), stay.checkInStarted());
  return stay;
}

const owned = Object.values(service.tables).map(getTableName);
const table = (name: string) => sql`${sql.identifier('lock_integration')}.${sql.identifier(name)}`;
const db = () => house.system.db(service);

test('the Drizzle tables and the migrated database are the same, in both directions', async () => {
  expect(await drizzleDrift(house.system.database, service.schema, service.tables)).toEqual([]);
});

test.each(owned)(
  'TEN-08: a tenant sees its own rows of lock_integration.%s and nobody else’s',
  async name => {
    const seen = await tenantTransaction(db(), { tenantId: a.tenantId, actor: testActor }, ({ tx }) =>
      rows<{ tenant_id: string }>(tx, sql`select tenant_id from ${table(name)}`),
    );
    expect(new Set(seen.map(one => one.tenant_id))).toEqual(new Set([a.tenantId]));
    const none = await systemTransaction(db(), { actor: testActor }, ({ tx }) =>
      rows(tx, sql`select 1 from ${table(name)}`),
    );
    expect(none).toEqual([]);
  },
);

test.each(owned)(
  'safety-7: a row of lock_integration.%s cannot be written into another tenant',
  async name => {
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
  },
);

test('safety-26: what staff did can be added to, never changed', async () => {
  for (const statement of [
    sql`update lock_integration.actions set action = 'lift'`,
    sql`delete from lock_integration.actions`,
  ]) {
    const attempt = tenantTransaction(db(), { tenantId: a.tenantId, actor: testActor }, ({ tx }) =>
      rows(tx, statement),
    );
    expect(await attempt.then(() => false, isPrivilegeViolation)).toBe(true);
  }
});

test('safety-10: over HTTP another tenant’s keys, locks and houses do not exist', async () => {
  const { credentialId } = keyOfA;
  const { body } = await house.send(a.owner, 'GET', `/locks?propertyId=${a.propertyId}`);
  const [lock] = (body as unknown as { locks: { lockId: string }[] }).locks;
  for (const [method, path, sent] of [
    ['GET', `/key-credentials/${credentialId}`],
    ['POST', `/key-credentials/${credentialId}/release`],
    ['POST', `/key-credentials/${credentialId}/encode`, { encoder: 'desk-1' }],
    ['POST', `/key-credentials/${credentialId}/suspend`, { reason: 'dispute', until: null }],
    ['POST', `/key-credentials/${credentialId}/lift`],
    ['POST', `/key-queue/${credentialId}/retry`],
    ['POST', `/key-queue/${credentialId}/done`],
    ['DELETE', `/locks/${lock?.lockId}`],
    ['POST', `/locks/${lock?.lockId}/inspect`],
    ['GET', `/key-rules/${a.propertyId}`],
    ['PUT', `/key-rules/${a.propertyId}`, { endRounding: 'up', metalKeys: 'confirmed' }],
    [
      'POST',
      '/key-credentials',
      { reservationId: stayOfA.reservationId, bookedRoomId: stayOfA.bookedRoomIds[0], because: 'lost' },
    ],
  ] as const) {
    expect([path, (await house.send(b.owner, method, path, sent)).status]).toEqual([path, 404]);
  }
  expect(await house.keys(b.owner, stayOfA)).toEqual([]);
  const queue = await house.send(b.owner, 'GET', `/key-queue?propertyId=${a.propertyId}`);
  expect(queue.body).toEqual({ entries: [] });
});

test('a door of one house is not one of another, also with the same number', async () => {
  const [room] = b.rooms;
  const stay = newStay({
    hotel: b,
    window: { from: inHours(-1), until: inHours(41) },
    rooms: [a.rooms[0]?.roomId ?? null],
  });
  await house.tell(b.tenantId, stay.checkInStarted());
  const [key] = await house.keys(b.owner, stay);
  // B has no lock on that door: a metal key of its own, and nothing happened at A's lock.
  expect(key).toMatchObject({ vendor: 'mechanical' });
  expect(room).toBeDefined();
  expect(await house.keys(a.owner, stayOfA)).toHaveLength(1);
});
