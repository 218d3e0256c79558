import { newId } from '@ghasi/domain-primitives/ids';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type House, type LockedHotel, openHouse, type Person } from './fixtures/house.ts';
import { inHours, newStay } from './fixtures/stay.ts';

let house: House;
let hotel: LockedHotel;
let desk: Person;
const consumed: unknown[] = [];
let isConfirmed = true;
beforeAll(async () => {
  house = await openHouse({
    ask: async (_question, input) => {
      consumed.push(input);
      return { consumed: isConfirmed } as never;
    },
  });
  hotel = await house.newHotel('ttlock', { rooms: 2 });
  desk = house.newPerson(['front_desk'], hotel.tenantId);
});
afterAll(() => house?.close());

const locksOf = async () => {
  const { body } = await house.send(desk, 'GET', `/locks?propertyId=${hotel.propertyId}`);
  return (body as unknown as { locks: { lockId: string; isOnline: boolean; battery: number }[] }).locks;
};

describe('locks', () => {
  test('EVT-56: a lock is paired, looked at, listed and taken off again', async () => {
    expect(await locksOf()).toMatchObject([
      { isOnline: true, battery: 87, status: 'paired' },
      { isOnline: true, battery: 87 },
    ]);
    const { propertyId } = hotel;
    const entrance = { propertyId, roomId: null, vendor: 'ttlock', vendorReference: '99', reach: 'gateway' };
    const { status, body } = await house.send(hotel.owner, 'POST', '/locks', entrance);
    expect(status).toBe(201);
    const { lockId } = body as unknown as { lockId: string };
    await house.system.settled();
    const paired = await house.system.events('melmastoon.lock_integration.device.paired.v1');
    expect(paired.map(({ payload }) => payload)).toContainEqual({
      ...entrance,
      lockId,
      pairedBy: hotel.owner.operatorId,
    });
    expect((await house.send(desk, 'POST', `/locks/${lockId}/inspect`)).body).toMatchObject({
      isOnline: true,
    });
    expect((await house.send(hotel.owner, 'DELETE', `/locks/${lockId}`)).body).toMatchObject({
      status: 'unpaired',
    });
    expect((await house.send(desk, 'POST', `/locks/${lockId}/inspect`)).body).toMatchObject({
      code: 'LOCK_UNPAIRED',
    });
  });

  test('each reason why a lock cannot hang there has its own code', async () => {
    const { propertyId, rooms, references } = hotel;
    const wanted = {
      propertyId,
      roomId: rooms[2]?.roomId,
      vendor: 'salto',
      vendorReference: 'x-1',
      reach: 'online',
    };
    const codeFor = async (more: object) =>
      (await house.send(hotel.owner, 'POST', '/locks', { ...wanted, ...more })).body.code;
    expect(await codeFor({ propertyId: newId('pro') })).toBe('HOUSE_UNKNOWN');
    expect(await codeFor({ roomId: newId('rom') })).toBe('ROOM_UNKNOWN');
    expect(await codeFor({ roomId: rooms[0]?.roomId })).toBe('ROOM_HAS_LOCK');
    const [taken] = Object.values(references);
    expect(await codeFor({ vendor: 'ttlock', vendorReference: taken })).toBe('LOCK_PAIRED');
    expect(await codeFor({ vendor: 'mechanical' })).toBe('VALIDATION_FAILED');
    expect((await house.send(desk, 'POST', '/locks', wanted)).status).toBe(403);
  });

  test('a lock whose vendor is away is told once, when it stops answering', async () => {
    const [lock] = await locksOf();
    house.simulators.ttlock.isUp = false;
    for (let look = 0; look < 3; look++)
      expect((await house.send(desk, 'POST', `/locks/${lock?.lockId}/inspect`)).body.code).toBe(
        'VENDOR_UNAVAILABLE',
      );
    house.simulators.ttlock.behave();
    await house.system.settled();
    const errors = (await house.told(hotel.tenantId)).filter(({ event }) => event === 'vendor.error');
    expect(errors).toMatchObject([
      { payload: { operation: 'read_status', failure: 'unreachable', lockId: lock?.lockId } },
    ]);
  });
});

describe('codes are for staff, at check-in, with a second factor', () => {
  const attested = (who: Person, path: string, action: string, body?: object) =>
    house.send(who, 'POST', path, body, {
      'step-up-attestation': 'mfa_01J8ZQ4T3Y5V6W7X8Y9Z0A1B2C',
      'step-up-action': action,
    });

  test('BO-73: nothing is shown without it, a confirmation is used up once, and everything is written down', async () => {
    const window = { from: inHours(-1), until: inHours(33) };
    const stay = newStay({ hotel, window, rooms: [hotel.rooms[0]?.roomId ?? null] });
    await house.tell(hotel.tenantId, stay.confirmed(), stay.checkInStarted());
    const [key] = await house.keys(desk, stay);
    const path = `/key-credentials/${key?.credentialId}/release`;
    const release = 'lock_integration.release-key';
    expect((await house.send(desk, 'POST', path)).status).toBe(403);
    expect((await attested(desk, path, 'another.action')).status).toBe(403);
    isConfirmed = false;
    expect((await attested(desk, path, release)).body).toMatchObject({ code: 'ATTESTATION_REFUSED' });
    isConfirmed = true;
    const shown = await attested(desk, path, release);
    expect(shown).toMatchObject({ status: 200, body: { code: expect.stringMatching(/^\d{6,9}$/) } });
    expect(consumed.at(-1)).toMatchObject({
      tenantId: hotel.tenantId,
      action: release,
      resource: key?.credentialId,
    });
    const { body } = await house.send(desk, 'GET', `/key-credentials/${key?.credentialId}`);
    expect(body).toMatchObject({
      actions: [{ action: 'release', actorId: desk.operatorId, secondFactor: true }],
    });

    const { reservationId } = stay;
    const replacement = { reservationId, bookedRoomId: stay.bookedRoomIds[0], because: 'security' };
    expect((await house.send(desk, 'POST', '/key-credentials', replacement)).status).toBe(403);
    const replace = 'lock_integration.replace-key';
    expect((await attested(desk, '/key-credentials', replace, replacement)).status).toBe(201);
    await house.system.settled();
    expect((await house.keys(desk, stay)).map(({ endReason }) => endReason)).toEqual(['security', null]);
  });

  test('safety-44, safety-45: a code is nowhere in the database, in no event and in no job', async () => {
    const window = { from: inHours(-1), until: inHours(34) };
    const stay = newStay({ hotel, window, rooms: [hotel.rooms[1]?.roomId ?? null] });
    await house.tell(hotel.tenantId, stay.confirmed(), stay.checkInStarted());
    const [key] = await house.keys(desk, stay);
    const path = `/key-credentials/${key?.credentialId}/release`;
    const { body } = await attested(desk, path, 'lock_integration.release-key');
    const code = body.code as string;
    const { admin } = house.system.database;
    const tables = await admin<{ name: string }>(
      `select c.oid::regclass::text as name
       from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where n.nspname in ('lock_integration', 'jobs', 'backbone', 'brokers') and c.relkind = 'r'`,
    );
    expect(tables.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['brokers.parked_key', 'lock_integration.keys', 'lock_integration.outbox']),
    );
    expect(tables.filter(({ name }) => name.startsWith('brokers.log_')).length).toBeGreaterThan(0);
    const alone = `(^|[^0-9a-z.])${code}([^0-9a-z]|$)`; // six digits are in some id, hash or fraction of a second by chance
    for (const { name } of tables) {
      const hits = await admin(`select 1 from ${name} t where t::text ~* $1`, [alone]);
      expect([name, hits.length]).toEqual([name, 0]);
    }
  });

  test('safety-44: a sealed code that is moved to another key does not open', async () => {
    const { admin } = house.system.database;
    const rows = await admin<{ id: string }>(
      "select id from lock_integration.keys where sealed_code is not null and status = 'issued' limit 2",
    );
    expect(rows).toHaveLength(2);
    const sealed = house.locks.safe.seal('480211', { tenantId: hotel.tenantId, credentialId: 'one' });
    const place = { tenantId: hotel.tenantId, credentialId: 'one' };
    expect(house.locks.safe.open(sealed, place)).toBe('480211');
    expect(() => house.locks.safe.open(sealed, { ...place, credentialId: 'two' })).toThrow();
    const broken = Buffer.from(sealed);
    broken[broken.length - 1] = (broken.at(-1) ?? 0) ^ 1;
    expect(() => house.locks.safe.open(broken, place)).toThrow();
  });

  test('each reason why there is no key to show has its own code', async () => {
    const { reservationId } = newStay({
      hotel,
      window: { from: inHours(1), until: inHours(2) },
      rooms: [null],
    });
    const unknown = { reservationId, bookedRoomId: newId('brm'), because: 'lost' };
    const replace = (body: object) =>
      attested(desk, '/key-credentials', 'lock_integration.replace-key', body);
    expect((await replace(unknown)).body.code).toBe('BOOKING_UNKNOWN');
    const stay = newStay({ hotel, window: { from: inHours(50), until: inHours(60) }, rooms: [null] });
    await house.tell(hotel.tenantId, stay.confirmed());
    const known = { reservationId: stay.reservationId, bookedRoomId: stay.bookedRoomIds[0], because: 'lost' };
    expect((await replace(known)).body.code).toBe('NO_ROOM_ASSIGNED');
    await house.tell(hotel.tenantId, stay.moved([hotel.rooms[0]?.roomId ?? null], { from: [null] }));
    expect((await replace(known)).body.code).toBe('GUEST_NOT_HERE');
    await house.tell(hotel.tenantId, stay.cancelled());
    expect((await replace(known)).body.code).toBe('BOOKING_ENDED');
    const [key] = await house.keys(desk, stay);
    const lift = await house.send(hotel.owner, 'POST', `/key-credentials/${key?.credentialId}/lift`);
    expect(lift.body.code).toBe('NOT_SUSPENDED');
    const order = { reason: 'dispute', until: null };
    const sleep = await house.send(
      hotel.owner,
      'POST',
      `/key-credentials/${key?.credentialId}/suspend`,
      order,
    );
    expect(sleep.body.code).toBe('KEY_REVOKED');
    const [lock] = await locksOf();
    expect((await house.send(hotel.owner, 'DELETE', `/locks/${lock?.lockId}`)).body.code).toBe('LOCK_IN_USE');
  });

  test('bad input is refused clearly', async () => {
    expect((await house.send(desk, 'GET', '/key-credentials')).status).toBe(400);
    expect((await house.send(desk, 'GET', '/key-credentials/key_nonsense')).status).toBe(400);
    expect((await house.send(desk, 'GET', `/key-credentials/${newId('key')}`)).status).toBe(404);
    expect((await house.send(desk, 'GET', `/key-rules/${newId('pro')}`)).body.code).toBe('HOUSE_UNKNOWN');
    expect((await house.send(undefined, 'GET', '/key-credentials')).status).toBe(401);
    const cleaner = house.newPerson(['housekeeping'], hotel.tenantId);
    expect((await house.send(cleaner, 'GET', `/key-queue?propertyId=${hotel.propertyId}`)).status).toBe(403);
  });
});
