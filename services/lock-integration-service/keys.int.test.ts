import { idFromUuid, newId } from '@ghasi/domain-primitives/ids';
import { newTenantId } from '@ghasi/testing/tenants';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { seedLocks } from './demo.ts';
import { type House, type LockedHotel, openHouse } from './fixtures/house.ts';
import { inHours, newStay } from './fixtures/stay.ts';
import type { VendorName } from './lock-vendor.ts';

let house: House;
let hotel: LockedHotel;
beforeAll(async () => {
  house = await openHouse();
  hotel = await house.newHotel();
});
beforeEach(() => {
  for (const one of Object.values(house.simulators)) one.behave();
});
afterAll(() => house?.close());

const roomIds = (of = hotel) => of.rooms.map(({ roomId }) => roomId);
/** No two stays of a test end together: a lock has one code for one window. */
let lastEnd = 50;
const soon = () => ({ from: inHours(3), until: inHours(++lastEnd) });
const began = () => ({ from: inHours(-2), until: inHours(++lastEnd) });
const bookedIn = (room: number, more: Partial<Parameters<typeof newStay>[0]> = {}, of = hotel) =>
  newStay({ hotel: of, window: began(), rooms: [roomIds(of)[room] ?? null], ...more });
/** Without the codes that lie ready for a late arrival. */
const keysOf = async (stay: { reservationId: string }, of = hotel) => {
  const told = new Set((await factsOf(stay, of)).map(({ payload }) => String(payload.credentialId)));
  return (await house.keys(of.owner, stay)).filter(({ credentialId }) => told.has(credentialId));
};
const factsOf = async (stay: { reservationId: string }, of = hotel) =>
  (await house.told(of.tenantId)).filter(({ payload }) => payload.reservationId === stay.reservationId);
const names = async (stay: { reservationId: string }, of = hotel) =>
  (await factsOf(stay, of)).map(({ event }) => event);

describe('SAGA-20: a key for a booking', () => {
  test('a paid booking with a room gets one by itself; the code is sealed and no event has it', async () => {
    const stay = bookedIn(0, { window: soon() });
    await house.tell(hotel.tenantId, stay.confirmed());
    const [key] = await keysOf(stay);
    expect(key).toMatchObject({ status: 'issued', medium: 'passcode', vendor: 'ttlock', replaces: null });
    expect(await factsOf(stay)).toMatchObject([
      { event: 'key_credential.issued', payload: { reason: 'booking', credentialId: key?.credentialId } },
    ]);
    expect(await house.release(hotel.owner, key as never)).toMatchObject({
      status: 409,
      body: { code: 'GUEST_NOT_HERE' },
    });
  });

  test('without a room there is no door; with one there is a key', async () => {
    const stay = bookedIn(0, { window: soon(), rooms: [null] });
    await house.tell(hotel.tenantId, stay.confirmed());
    expect(await keysOf(stay)).toEqual([]);
    await house.tell(hotel.tenantId, stay.moved([roomIds()[1] ?? null], { from: [null] }));
    expect(await keysOf(stay)).toMatchObject([{ status: 'issued', roomId: roomIds()[1] }]);
  });

  test('SAGA-27: cash on arrival gets no key until the cash is there or the guest is', async () => {
    const stay = bookedIn(0, { window: soon(), isPaid: false });
    await house.tell(hotel.tenantId, stay.confirmed());
    expect(await names(stay)).toEqual([]);
    await house.tell(hotel.tenantId, stay.cashCame({ received: 40_000 }));
    expect(await names(stay)).toEqual([]);
    await house.tell(hotel.tenantId, stay.cashCame());
    expect(await names(stay)).toEqual(['key_credential.issued']);
  });

  test.each<VendorName>(['ttlock', 'salto', 'assa_abloy', 'wiegand'])(
    'SAGA-36, SAGA-44: from booking to check-out with a lock of %s',
    async vendor => {
      const own = await house.newHotel(vendor, { reach: 'online', rooms: 1 });
      const stay = bookedIn(0, {}, own);
      await house.tell(own.tenantId, stay.confirmed(), stay.checkInStarted());
      const [key] = await keysOf(stay, own);
      expect(key).toMatchObject({ status: 'issued', vendor });
      const shown = await house.release(own.owner, key as never);
      const hasCode = vendor !== 'assa_abloy';
      expect(shown.status).toBe(hasCode ? 200 : 409);
      if (vendor === 'ttlock' || vendor === 'salto') {
        const { code } = shown.body as { code: string };
        const lock = own.references[roomIds(own)[0] as string] as string;
        expect(own.simulator.world.opens(lock, code, new Date())).toBe(true);
      }
      if (vendor === 'assa_abloy') {
        const path = `/key-credentials/${key?.credentialId}/encode`;
        const written = await house.send(own.owner, 'POST', path, { encoder: 'desk-1' });
        expect(written.status).toBe(200);
      }
      await house.tell(own.tenantId, stay.checkOutStarted());
      expect(await factsOf(stay, own)).toMatchObject([
        { event: 'key_credential.issued' },
        { event: 'key_credential.revoked', payload: { reason: 'check_out', confirmedByLock: true } },
      ]);
      expect(own.simulator.world.named(key?.credentialId as string)).toEqual([]);
    },
  );
});

describe('SAGA-36: the guest stands at the desk', () => {
  test('X-123: a key that is there will do; none is made twice', async () => {
    const stay = bookedIn(0);
    await house.tell(hotel.tenantId, stay.confirmed());
    await house.tell(hotel.tenantId, stay.checkInStarted());
    expect(await names(stay)).toEqual(['key_credential.issued']);
    const [key, ...others] = await keysOf(stay);
    expect(others).toEqual([]);
    const shown = await house.release(hotel.owner, key as never);
    expect(shown).toMatchObject({ status: 200, body: { code: expect.stringMatching(/^\d{6,9}$/) } });
  });

  test('a missing one is made, for each room', async () => {
    const stay = newStay({ hotel, window: began(), rooms: roomIds().slice(0, 2), isPaid: false });
    await house.tell(hotel.tenantId, stay.confirmed(), stay.checkInStarted());
    expect(await keysOf(stay)).toMatchObject([{ status: 'issued' }, { status: 'issued' }]);
    expect((await factsOf(stay)).map(({ payload }) => payload.reason)).toEqual(['check_in', 'check_in']);
  });

  test('a guest who comes early gets in early: the same key opens now', async () => {
    const stay = bookedIn(0, { window: soon() });
    await house.tell(hotel.tenantId, stay.confirmed());
    const [booked] = await keysOf(stay);
    await house.tell(hotel.tenantId, stay.checkInStarted());
    const [key, ...others] = await keysOf(stay);
    expect(others).toEqual([]);
    expect(key?.credentialId).toBe(booked?.credentialId);
    expect(await names(stay)).toEqual(['key_credential.issued', 'key_credential.updated']);
    const { code } = (await house.release(hotel.owner, key as never)).body as { code: string };
    const lock = hotel.references[roomIds()[0] as string] as string;
    expect(hotel.simulator.world.opens(lock, code, new Date())).toBe(true);
  });

  test('a check-in without a booking heard of before works too: events may overtake each other', async () => {
    const stay = bookedIn(2);
    await house.tell(hotel.tenantId, stay.checkInStarted(), stay.confirmed());
    expect(await keysOf(stay)).toMatchObject([{ status: 'issued' }]);
  });

  test('R18: a check-in that is taken back kills the key; the booking gets another one', async () => {
    const stay = bookedIn(0);
    await house.tell(hotel.tenantId, stay.confirmed(), stay.checkInStarted());
    await house.tell(hotel.tenantId, stay.checkInUndone());
    const facts = await factsOf(stay);
    expect(facts.map(({ event }) => event).toSorted()).toEqual([
      'key_credential.issued',
      'key_credential.issued',
      'key_credential.revoked',
    ]);
    expect(facts.find(({ event }) => event.endsWith('revoked'))?.payload).toMatchObject({
      reason: 'check_in_undone',
    });
    const [old, fresh] = await keysOf(stay);
    expect([old?.status, fresh?.status]).toEqual(['revoked', 'issued']);
    expect(fresh?.window).not.toEqual(old?.window); // the same window would be the same digits
  });
});

describe('R16, R27: a key dies on move, check-out and new-key issue', () => {
  test('R16: who moves gets a key of the new room, and the old one opens nothing', async () => {
    const stay = bookedIn(0);
    await house.tell(hotel.tenantId, stay.confirmed(), stay.checkInStarted());
    const [old] = await keysOf(stay);
    const shown = (await house.release(hotel.owner, old as never)).body as { code: string };
    await house.tell(
      hotel.tenantId,
      stay.moved([roomIds()[1] ?? null], { version: 7, status: 'checked_in' }),
    );
    const [dead, fresh] = await keysOf(stay);
    expect(dead).toMatchObject({ status: 'revoked', endReason: 'replaced', confirmedByLock: true });
    expect(fresh).toMatchObject({ status: 'issued', roomId: roomIds()[1], replaces: old?.credentialId });
    const [first] = roomIds();
    const lock = hotel.references[first as string] as string;
    expect(hotel.simulator.world.opens(lock, shown.code, new Date())).toBe(false);
  });

  test('R27: another key kills the one before, and its code is another', async () => {
    const stay = bookedIn(0);
    await house.tell(hotel.tenantId, stay.confirmed(), stay.checkInStarted());
    const [old] = await keysOf(stay);
    const before = (await house.release(hotel.owner, old as never)).body as { code: string };
    const [bookedRoomId] = stay.bookedRoomIds;
    const { reservationId } = stay;
    const asked = { reservationId, bookedRoomId, because: 'lost' };
    expect((await house.send(hotel.owner, 'POST', '/key-credentials', asked)).status).toBe(201);
    await house.system.settled();
    const [dead, fresh] = await keysOf(stay);
    expect(dead).toMatchObject({ status: 'revoked', endReason: 'replaced' });
    expect(fresh).toMatchObject({ status: 'issued', replaces: old?.credentialId });
    const after = (await house.release(hotel.owner, fresh as never)).body as { code: string };
    expect(after.code).not.toBe(before.code);
  });

  test('SAGA-49: at check-out it dies whatever the folio says, and with it every spare one', async () => {
    const stay = bookedIn(0);
    await house.tell(hotel.tenantId, stay.confirmed(), stay.checkInStarted());
    await house.tell(hotel.tenantId, stay.checkOutStarted());
    expect((await names(stay)).at(-1)).toBe('key_credential.revoked');
    const keys = await house.keys(hotel.owner, stay);
    expect(keys.map(({ status }) => status)).toEqual(keys.map(() => 'revoked'));
  });

  test.each(['cancelled', 'noShow'] as const)(
    'SAGA-31: a booking that was %s has no key any more',
    async how => {
      const stay = bookedIn(0, { window: soon() });
      await house.tell(hotel.tenantId, stay.confirmed());
      await house.tell(hotel.tenantId, stay[how]());
      const reason = how === 'cancelled' ? 'cancellation' : 'no_show';
      expect((await factsOf(stay)).at(-1)).toMatchObject({
        event: 'key_credential.revoked',
        payload: { reason, confirmedByLock: true },
      });
    },
  );

  test('a booking that never had a key is cancelled without a word', async () => {
    const stay = bookedIn(0, { window: soon(), rooms: [null] });
    await house.tell(hotel.tenantId, stay.confirmed(), stay.cancelled());
    expect(await names(stay)).toEqual([]);
  });

  test('X-088, ORD-13: what is older than what was heard is a noop and changes nothing; a booking that comes back gets a key', async () => {
    const stay = bookedIn(0, { window: soon() });
    await house.tell(hotel.tenantId, stay.cancelled({ version: 8 }));
    await house.tell(hotel.tenantId, stay.confirmed({ version: 3 }));
    expect(await names(stay)).toEqual([]);
    await house.tell(hotel.tenantId, stay.confirmed({ version: 12 }));
    expect(await names(stay)).toEqual(['key_credential.issued']);
    const heard = await house.system.query(
      'lock_integration',
      `select aggregate_version, result from inbox where ordering_key = $1 order by received_at`,
      [`${hotel.tenantId}:${stay.reservationId}`],
    );
    expect(heard).toEqual([
      { aggregate_version: 8n, result: 'ok' },
      { aggregate_version: 3n, result: 'noop' },
      { aggregate_version: 12n, result: 'ok' },
    ]);
  });
});

test('X-089: two bookings of one door at the same moment never get the same code', async () => {
  const window = soon();
  const [room] = roomIds();
  const stays = [1, 2, 3].map(() => newStay({ hotel, window, rooms: [room ?? null] }));
  await Promise.all(stays.map(stay => house.system.publish(hotel.tenantId, [stay.confirmed()])));
  await house.system.settled();
  const windows = (await Promise.all(stays.map(stay => house.keys(hotel.owner, stay))))
    .flat()
    .map(key => `${key.window.validFrom} ${key.window.validUntil}`);
  expect(windows.length).toBeGreaterThanOrEqual(3);
  expect(new Set(windows).size).toBe(windows.length);
});

describe('SAGA-53, X-117: other dates', () => {
  const longer = (stay: { window: { from: Date } }) => ({
    from: stay.window.from,
    until: inHours(++lastEnd + 40),
  });

  test('once inventory has moved the rooms, the same key has another window', async () => {
    const stay = bookedIn(0, { window: soon() });
    await house.tell(hotel.tenantId, stay.confirmed());
    const [before] = await keysOf(stay);
    await house.tell(hotel.tenantId, stay.reallocated(longer(stay)));
    const [key, ...others] = await keysOf(stay);
    expect(others).toEqual([]);
    expect(key?.credentialId).toBe(before?.credentialId);
    expect((await factsOf(stay)).at(-1)).toMatchObject({
      event: 'key_credential.updated',
      payload: { change: 'dates_changed', window: key?.window, before: { window: before?.window } },
    });
  });

  test('a room change that still knows the old dates does not put them back', async () => {
    const stay = bookedIn(0, { window: soon() });
    const window = longer(stay);
    await house.tell(hotel.tenantId, stay.confirmed(), stay.reallocated(window, { version: 5 }));
    await house.tell(hotel.tenantId, stay.moved([roomIds()[1] ?? null], { version: 6 }));
    const fresh = (await keysOf(stay)).at(-1);
    expect(fresh).toMatchObject({ status: 'issued', roomId: roomIds()[1] });
    expect(Date.parse(fresh?.window.validUntil ?? '')).toBeGreaterThanOrEqual(window.until.getTime());
  });

  test('R27: a lock out of reach gets another code, and the old one ends unconfirmed', async () => {
    const own = await house.newHotel('ttlock', { reach: 'offline', rooms: 1 });
    const stay = bookedIn(0, {}, own);
    await house.tell(own.tenantId, stay.confirmed(), stay.checkInStarted());
    const [old] = await keysOf(stay, own);
    await house.tell(own.tenantId, stay.reallocated(longer(stay), { version: 7 }));
    const [dead, fresh] = await keysOf(stay, own);
    expect(dead).toMatchObject({ status: 'revoked', confirmedByLock: false });
    expect(fresh).toMatchObject({ status: 'issued', replaces: old?.credentialId });
  });
});

test('demo: a house gets a lock for each room, however often it is seeded, and its guests get codes', async () => {
  const vendor = house.locks.vendorOf('ttlock');
  const db = house.system.db(house.service);
  const tenantId = newTenantId();
  const property = { id: newId('pro'), zone: 'Asia/Kabul' };
  const rooms = ['101', '102', '201'].map(number => ({ id: newId('rom'), number }));
  const seeded = { tenantId, property, rooms, pairedBy: newId('usr') };
  for (let start = 0; start < 2; start++)
    await seedLocks(db, seeded, { vendors: vendor === undefined ? [] : [vendor] });
  await house.system.settled();
  const locks = await house.system.query<{ room_id: string; is_online: boolean }>(
    'lock_integration',
    "select room_id, is_online from locks where tenant_id = $1 and status = 'paired'",
    [tenantId],
  );
  const paired = locks.map(one => idFromUuid('rom', one.room_id));
  expect(paired.toSorted()).toEqual(rooms.map(({ id }) => id).toSorted());
  expect(locks.every(one => one.is_online)).toBe(true);
  const seededHotel = { propertyId: property.id, roomTypeId: newId('rty') };
  const stay = newStay({ hotel: seededHotel, window: began(), rooms: [rooms[0]?.id ?? null] });
  await house.tell(tenantId, stay.checkInStarted());
  const facts = await house.told(tenantId);
  expect(facts).toMatchObject([{ event: 'key_credential.issued', payload: { vendor: 'ttlock' } }]);
});
