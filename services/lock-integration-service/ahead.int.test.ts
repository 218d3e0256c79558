import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type House, type LockedHotel, openHouse } from './fixtures/house.ts';
import { inHours, newStay, type Stay } from './fixtures/stay.ts';

let house: House;
/** Nobody works there but the test: its clock stands where the test says. */
let still: House;
beforeAll(async () => {
  [house, still] = [await openHouse(), await openHouse({ jobs: false })];
});
beforeEach(() => {
  house.simulators.ttlock.behave();
  still.simulators.ttlock.behave();
});
afterAll(async () => {
  await house?.close();
  await still?.close();
});

const offline = (at = house) => at.newHotel('ttlock', { reach: 'offline', rooms: 1 });
const stayIn = (of: LockedHotel, window: { from: Date; until: Date }, isPaid = true) =>
  newStay({ hotel: of, window, rooms: [of.rooms[0]?.roomId ?? null], isPaid });
const lockOf = (of: LockedHotel) => of.references[of.rooms[0]?.roomId as string] as string;
const names = async (of: LockedHotel) => (await house.told(of.tenantId)).map(({ event }) => event);
const codeOf = async (of: LockedHotel, stay: Stay, at = house) => {
  const key = (await at.keys(of.owner, stay)).find(({ status }) => status === 'issued');
  const shown = await at.release(of.owner, key as never);
  if (shown.status !== 200) throw new Error(JSON.stringify(shown.body));
  return (shown.body as { code: string }).code;
};

describe('codes are fetched ahead', () => {
  test('SAGA-27: for cash on arrival too, but nobody is told until the guest is here; then no vendor is needed', async () => {
    const own = await offline();
    const stay = stayIn(own, { from: inHours(20), until: inHours(70) }, false);
    await house.tell(own.tenantId, stay.confirmed());
    await house.goRound();
    expect((await house.keys(own.owner, stay)).map(({ status }) => status)).toEqual(['ready', 'ready']);
    expect(await names(own)).toEqual([]);
    const later = stayIn(own, { from: inHours(-1), until: inHours(30) }, false);
    await house.tell(own.tenantId, later.confirmed());
    house.simulators.ttlock.isUp = false;
    await house.tell(own.tenantId, later.checkInStarted());
    expect(await names(own)).toEqual(['key_credential.issued']);
    expect(house.simulators.ttlock.world.opens(lockOf(own), await codeOf(own, later), new Date())).toBe(true);
  });

  test('an arrival that is far away is left alone until its time comes', async () => {
    const own = await offline(still);
    const stay = stayIn(own, { from: inHours(100), until: inHours(150) }, false);
    await still.tell(own.tenantId, stay.confirmed());
    await still.lookAfterAt(own.tenantId, stay.reservationId, inHours(60));
    expect(await still.keys(own.owner, stay)).toEqual([]);
    await still.lookAfterAt(own.tenantId, stay.reservationId, inHours(65));
    expect((await still.keys(own.owner, stay)).map(({ status }) => status)).toEqual(['ready', 'ready']);
  });

  /** Booked when nobody had a room for it yet; it got one since. */
  const bookedLongAgo = async (own: LockedHotel, stay: Stay) => {
    await still.tell(own.tenantId, stay.confirmed({ numbers: [null] }));
    await still.system.database.admin(
      `update lock_integration.booked_rooms b set room_id = l.room_id
       from lock_integration.locks l
       where b.tenant_id = $1 and l.tenant_id = $1`,
      [own.tenantId],
    );
  };

  test('R27: who arrives 30 h late with the net down still opens the door, with a fresh code', async () => {
    const own = await offline(still);
    const { world } = own.simulator;
    const arrival = inHours(-30);
    const stay = stayIn(own, { from: arrival, until: inHours(40) });
    await bookedLongAgo(own, stay);
    await still.lookAfterAt(own.tenantId, stay.reservationId, inHours(-20, arrival));
    own.simulator.isUp = false; // and down it stays
    const [first] = await still.keys(own.owner, stay);
    expect(first).toMatchObject({ status: 'issued' });
    await still.tell(own.tenantId, stay.checkInStarted());
    const [stale, fresh] = await still.keys(own.owner, stay);
    expect(stale).toMatchObject({ endReason: 'expired' });
    expect(fresh).toMatchObject({ status: 'issued', replaces: first?.credentialId });
    expect(world.opens(lockOf(own), await codeOf(own, stay, still), new Date())).toBe(true);
    const [dead] = world.named(first?.credentialId as string);
    expect(world.opens(lockOf(own), dead?.code as string, new Date())).toBe(false);
  });

  test('R27: a code that nobody used within its day is replaced before the guest comes; its death is told', async () => {
    const own = await offline(still);
    const arrival = inHours(-30);
    const stay = stayIn(own, { from: arrival, until: inHours(60) });
    await bookedLongAgo(own, stay);
    for (const late of [-1, 10, 22.9, 23.1, 46.1])
      await still.lookAfterAt(own.tenantId, stay.reservationId, inHours(late, arrival));
    const facts = await still.told(own.tenantId);
    expect(facts.map(({ event, payload }) => [event, payload.reason])).toEqual([
      ['key_credential.issued', 'booking'],
      ['key_credential.issued', 'replacement'],
      ['key_credential.revoked', 'expired'],
      ['key_credential.issued', 'replacement'],
      ['key_credential.revoked', 'expired'],
    ]);
  });
});

describe('a house without electronic locks', () => {
  test('a metal key is handed over with the check-in, and counts until check-out', async () => {
    const own = await house.newHotel('ttlock', { rooms: 0 });
    const stay = newStay({
      hotel: own,
      window: { from: inHours(-2), until: inHours(40) },
      rooms: [own.rooms[0]?.roomId ?? null],
    });
    await house.tell(own.tenantId, stay.confirmed());
    expect(await names(own)).toEqual([]); // it hangs on its hook
    await house.tell(own.tenantId, stay.checkInStarted());
    const [key] = await house.keys(own.owner, stay);
    expect(key).toMatchObject({ vendor: 'mechanical', medium: 'metal_key', status: 'issued' });
    expect(await house.release(own.owner, key as never)).toMatchObject({ body: { code: 'NOT_A_CODE' } });
    await house.tell(own.tenantId, stay.reallocated({ ...stay.window, until: inHours(64) }, { version: 7 }));
    await house.tell(own.tenantId, stay.checkOutStarted());
    expect(await house.told(own.tenantId)).toMatchObject([
      { event: 'key_credential.issued', payload: { reason: 'check_in' } },
      { event: 'key_credential.updated', payload: { change: 'dates_changed' } },
      { event: 'key_credential.revoked', payload: { reason: 'check_out', confirmedByLock: false } },
    ]);
  });

  test('where the house wants it, somebody confirms each key he hands over', async () => {
    const own = await house.newHotel('ttlock', { rooms: 0 });
    const rules = { endRounding: 'down', metalKeys: 'confirmed' };
    const path = `/key-rules/${own.propertyId}`;
    expect(await house.send(own.owner, 'PUT', path, rules)).toMatchObject({ status: 200, body: rules });
    const stay = newStay({
      hotel: own,
      window: { from: inHours(-2), until: inHours(40) },
      rooms: [own.rooms[0]?.roomId ?? null],
    });
    await house.tell(own.tenantId, stay.confirmed(), stay.checkInStarted());
    expect(await names(own)).toEqual([]);
    const queue = await house.send(own.owner, 'GET', `/key-queue?propertyId=${own.propertyId}`);
    const { entries } = queue.body as unknown as { entries: { key: { credentialId: string } }[] };
    expect(entries).toMatchObject([{ operation: 'issue', failure: null, roomNumber: '101' }]);
    const id = entries[0]?.key.credentialId;
    expect((await house.send(own.owner, 'POST', `/key-queue/${id}/retry`)).status).toBe(409);
    expect((await house.send(own.owner, 'POST', `/key-queue/${id}/done`)).status).toBe(200);
    await house.system.settled();
    expect(await names(own)).toEqual(['key_credential.issued']);
  });

  test('a lock that is paired later takes the next key; who has a metal one keeps his door', async () => {
    const own = await house.newHotel('ttlock', { rooms: 0 });
    const [room] = own.rooms;
    const rooms = [room?.roomId ?? null];
    const stay = newStay({ hotel: own, window: { from: inHours(-2), until: inHours(40) }, rooms });
    await house.tell(own.tenantId, stay.checkInStarted());
    const { propertyId } = own;
    const lock = {
      propertyId,
      roomId: room?.roomId,
      vendor: 'ttlock',
      vendorReference: '4711',
      reach: 'gateway',
    };
    expect((await house.send(own.owner, 'POST', '/locks', lock)).status).toBe(201);
    await house.tell(own.tenantId, stay.checkOutStarted());
    const next = newStay({ hotel: own, window: { from: inHours(-1), until: inHours(44) }, rooms });
    await house.tell(own.tenantId, next.checkInStarted());
    expect(await house.keys(own.owner, next)).toMatchObject([{ vendor: 'ttlock', status: 'issued' }]);
  });
});

describe('EVT-54: a key sleeps', () => {
  test.each(['salto', 'ttlock'] as const)(
    'a key of %s opens nothing until it is lifted, and no other one takes its place',
    async vendor => {
      const own = await house.newHotel(vendor, { reach: 'online', rooms: 1 });
      const stay = stayIn(own, { from: inHours(-2), until: inHours(40) });
      await house.tell(own.tenantId, stay.confirmed(), stay.checkInStarted());
      const [key] = await house.keys(own.owner, stay);
      const before = await codeOf(own, stay);
      const path = `/key-credentials/${key?.credentialId}`;
      const order = { reason: 'police_hold', until: null };
      expect((await house.send(own.owner, 'POST', `${path}/suspend`, order)).status).toBe(200);
      await house.system.settled();
      expect(own.simulator.world.opens(lockOf(own), before, new Date())).toBe(false);
      await house.goRound();
      expect(await house.keys(own.owner, stay)).toHaveLength(1);
      expect((await house.send(own.owner, 'POST', `${path}/lift`)).status).toBe(200);
      await house.system.settled();
      expect(own.simulator.world.opens(lockOf(own), await codeOf(own, stay), new Date())).toBe(true);
      expect(await house.told(own.tenantId)).toMatchObject([
        { event: 'key_credential.issued' },
        {
          event: 'key_credential.suspended',
          payload: { reason: 'police_hold', orderedBy: own.owner.operatorId },
        },
        { event: 'key_credential.updated', payload: { change: 'suspension_lifted' } },
      ]);
    },
  );

  test('a moment wakes it, and a lock out of reach is not asleep: the desk has it', async () => {
    const own = await house.newHotel('salto', { reach: 'online', rooms: 1 });
    const stay = stayIn(own, { from: inHours(-2), until: inHours(40) });
    await house.tell(own.tenantId, stay.confirmed(), stay.checkInStarted());
    const [key] = await house.keys(own.owner, stay);
    const path = `/key-credentials/${key?.credentialId}/suspend`;
    await house.send(own.owner, 'POST', path, { reason: 'dispute', until: inHours(-0.1).toISOString() });
    await house.system.settled();
    await house.goRound();
    expect((await names(own)).at(-1)).toBe('key_credential.updated');

    const far = await offline();
    const other = stayIn(far, { from: inHours(-2), until: inHours(41) });
    await house.tell(far.tenantId, other.confirmed(), other.checkInStarted());
    const [code] = await house.keys(far.owner, other);
    const order = { reason: 'security', until: null };
    await house.send(far.owner, 'POST', `/key-credentials/${code?.credentialId}/suspend`, order);
    for (let round = 0; round < 8 && (await house.isPlanned()); round++) await house.passTime();
    expect((await house.keys(far.owner, other))[0]).toMatchObject({
      status: 'issued',
      queuedAt: expect.any(String),
    });
    expect((await house.told(far.tenantId)).at(-1)).toMatchObject({
      event: 'vendor.error',
      payload: { operation: 'suspend', failure: 'lock_offline', retryAt: null },
    });
  });
});
