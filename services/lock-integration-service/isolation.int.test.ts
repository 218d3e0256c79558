import { isolationContract } from '@ghasi/testing/isolation';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
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

describe('TEN-08, safety-3, safety-7, safety-26: every table keeps tenants apart, and what only grows stays', () => {
  isolationContract(
    service,
    () => ({ ...house.system, db: house.system.db(service), own: a.tenantId, other: b.tenantId }),
    { onlyGrows: ['actions'] },
  );
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
