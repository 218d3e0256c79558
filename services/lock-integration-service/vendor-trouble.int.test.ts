import { disarmFailpoints } from '@ghasi/domain-primitives/failpoint';
import { failAt, holdAt } from '@ghasi/testing/failpoints';
import { waitUntil } from '@ghasi/testing/signal';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type InTransaction, workKeyNow } from './commands/work-key.ts';
import { type House, type LockedHotel, openHouse } from './fixtures/house.ts';
import { inHours, newStay } from './fixtures/stay.ts';

let house: House;
let hotel: LockedHotel;
beforeAll(async () => {
  house = await openHouse();
  hotel = await house.newHotel('ttlock', { rooms: 1 });
});
beforeEach(() => house.simulators.ttlock.behave());
afterAll(() => house?.close());

let lastEnd = 50;
const booked = (more: Partial<Parameters<typeof newStay>[0]> = {}, of = hotel) =>
  newStay({
    hotel: of,
    window: { from: inHours(-2), until: inHours(++lastEnd) },
    rooms: [of.rooms[0]?.roomId ?? null],
    ...more,
  });
const factsOf = async ({ reservationId }: { reservationId: string }, of = hotel) =>
  (await house.told(of.tenantId)).filter(({ payload }) => payload.reservationId === reservationId);
const atDoor = (name: string) =>
  [...house.simulators.ttlock.world.locks.values()]
    .flatMap(lock => [...lock.keys.values()])
    .filter(key => key.name === name);
const mainKey = async (stay: { reservationId: string }, of = hotel) => {
  const [key] = (await house.keys(of.owner, stay)).filter(({ status }) => status !== 'ready');
  if (key === undefined) throw new Error('there is no key');
  return key;
};
const inTenant =
  ({ tenantId }: LockedHotel): InTransaction =>
  work =>
    house.system.run(house.service, tenantId, ctx => work(ctx), undefined);
/** Lets every planned retry come, until nothing is planned any more. */
const untilTheEnd = async () => {
  for (let round = 0; round < 8 && (await house.isPlanned()); round++) await house.passTime();
};

describe('SAGA-05, SAGA-26: a vendor fails', () => {
  test('an answer that was lost is asked about: one code, one event', async () => {
    house.simulators.ttlock.misbehave('issue', 'lost');
    const stay = booked({ isPaid: false });
    await house.tell(hotel.tenantId, stay.checkInStarted());
    await house.passTime();
    const key = await mainKey(stay);
    expect(key.status).toBe('issued');
    expect(atDoor(key.credentialId)).toHaveLength(1);
    expect(await factsOf(stay)).toMatchObject([
      {
        event: 'vendor.error',
        payload: { operation: 'issue', failure: 'unreachable', attempt: 1, retryAt: expect.any(String) },
      },
      { event: 'key_credential.issued', payload: { credentialId: key.credentialId } },
    ]);
  });

  test.each([
    ['before-call', 0],
    ['after-call', 1],
  ] as const)('a worker that dies %s leaves a question behind, not a second code', async (where, made) => {
    const own = await house.newHotel('ttlock', { rooms: 1 });
    const stay = booked({ isPaid: false }, own);
    failAt(`lock_integration.${where}`);
    await house.tell(own.tenantId, stay.checkInStarted());
    disarmFailpoints();
    const key = await mainKey(stay, own);
    expect(key.status).toBe('wanted');
    expect(atDoor(key.credentialId)).toHaveLength(made);
    await house.passTime(); // the lease is over, somebody else looks
    expect(await mainKey(stay, own)).toMatchObject({ status: 'issued' });
    expect(atDoor(key.credentialId)).toHaveLength(1);
    expect((await factsOf(stay, own)).map(({ event }) => event)).toEqual(['key_credential.issued']);
  });

  test('a worker that comes back after somebody took over changes nothing', async () => {
    const own = await house.newHotel('ttlock', { rooms: 1 });
    const stay = booked({ isPaid: false }, own);
    const held = holdAt('lock_integration.after-call');
    await house.system.publish(own.tenantId, [stay.checkInStarted()]);
    await held.reached;
    const key = await mainKey(stay, own);
    const { admin } = house.system.database;
    await admin('update lock_integration.keys set leased_until = now() where tenant_id = $1', [own.tenantId]);
    disarmFailpoints();
    expect(await workKeyNow(inTenant(own), house.locks, key.credentialId)).toBe('done');
    held.release();
    await house.system.settled();
    expect(await mainKey(stay, own)).toMatchObject({ status: 'issued' });
    expect(atDoor(key.credentialId)).toHaveLength(1);
    expect((await factsOf(stay, own)).map(({ event }) => event)).toEqual(['key_credential.issued']);
  });

  test('after the last try the desk has it; the check-in can still be finished by hand', async () => {
    house.simulators.ttlock.isUp = false;
    const stay = booked({ isPaid: false });
    await house.tell(hotel.tenantId, stay.checkInStarted());
    await untilTheEnd();
    const facts = await factsOf(stay);
    expect(facts.map(({ event }) => event)).toEqual(Array(5).fill('vendor.error'));
    expect(facts.map(({ payload }) => payload.attempt)).toEqual([1, 2, 3, 4, 5]);
    expect(facts.at(-1)?.payload).toMatchObject({ operation: 'issue', retryAt: null });
    const queue = await house.send(hotel.owner, 'GET', `/key-queue?propertyId=${hotel.propertyId}`);
    const { entries } = queue.body as unknown as { entries: { key: { credentialId: string } }[] };
    const key = await mainKey(stay);
    const entry = entries.find(one => one.key.credentialId === key.credentialId);
    expect(entry).toMatchObject({ operation: 'issue', roomNumber: '101', failure: 'unreachable', tries: 5 });
    const done = await house.send(hotel.owner, 'POST', `/key-queue/${key.credentialId}/done`);
    expect(done).toMatchObject({ status: 200, body: { status: 'issued', queuedAt: null } });
    await house.system.settled();
    expect((await factsOf(stay)).at(-1)).toMatchObject({ event: 'key_credential.issued' });
    // What a person made, a person takes back.
    await house.tell(hotel.tenantId, stay.checkOutStarted());
    expect((await factsOf(stay)).at(-1)).toMatchObject({
      event: 'key_credential.revoked',
      payload: { confirmedByLock: false },
    });
    expect(await mainKey(stay)).toMatchObject({ status: 'revoked', queuedAt: expect.any(String) });
    const back = await house.send(hotel.owner, 'POST', `/key-queue/${key.credentialId}/done`);
    expect(back).toMatchObject({ status: 200, body: { queuedAt: null, confirmedByLock: true } });
  });

  test('somebody at the desk has it tried again once the line is up', async () => {
    house.simulators.ttlock.isUp = false;
    const stay = booked({ isPaid: false });
    await house.tell(hotel.tenantId, stay.checkInStarted());
    await untilTheEnd();
    house.simulators.ttlock.behave();
    const key = await mainKey(stay);
    const path = `/key-queue/${key.credentialId}/retry`;
    expect(await house.send(hotel.owner, 'POST', path)).toMatchObject({ status: 202 });
    await house.system.settled();
    expect(await mainKey(stay)).toMatchObject({ status: 'issued', queuedAt: null });
    expect(await house.send(hotel.owner, 'POST', path)).toMatchObject({
      status: 409,
      body: { code: 'NOT_IN_QUEUE' },
    });
  });

  test('a vendor that says no is not asked again', async () => {
    const other = await house.newHotel('ttlock', { rooms: 1 });
    const [room] = hotel.rooms;
    // The other house has paired a lock that is not its own.
    await house.send(other.owner, 'DELETE', `/locks/${(await locksOf(other))[0]?.lockId}`);
    const { propertyId } = other;
    const stolen = {
      propertyId,
      roomId: other.rooms[0]?.roomId,
      vendor: 'ttlock',
      vendorReference: hotel.references[room?.roomId as string],
      reach: 'gateway',
    };
    const first = booked({ isPaid: false });
    await house.tell(hotel.tenantId, first.checkInStarted()); // so that the lock belongs to its account
    expect((await house.send(other.owner, 'POST', '/locks', stolen)).status).toBe(201);
    const stay = booked({ isPaid: false }, other);
    await house.tell(other.tenantId, stay.checkInStarted());
    const refused = { failure: 'refused', vendorCode: '20002', attempt: 1, retryAt: null };
    expect(await factsOf(stay, other)).toMatchObject([{ event: 'vendor.error', payload: refused }]);
    expect(await mainKey(stay, other)).toMatchObject({ status: 'wanted', queuedAt: expect.any(String) });
  });

  const locksOf = async (of: LockedHotel) => {
    const { body } = await house.send(of.owner, 'GET', `/locks?propertyId=${of.propertyId}`);
    return (body as unknown as { locks: { lockId: string; isOnline: boolean; battery: number }[] }).locks;
  };
});

describe('SAGA-49: a key never outlives check-out', () => {
  test('a gateway that is away: revoked unconfirmed at the end of the tries, then finished by hand', async () => {
    const own = await house.newHotel('ttlock', { rooms: 1 });
    const stay = booked({ isPaid: false }, own);
    await house.tell(own.tenantId, stay.checkInStarted());
    const lock = house.simulators.ttlock.world.locks.get(
      own.references[own.rooms[0]?.roomId as string] as string,
    );
    if (lock === undefined) throw new Error('there is no lock');
    lock.isOnline = false;
    await house.tell(own.tenantId, stay.checkOutStarted());
    await untilTheEnd();
    const facts = await factsOf(stay, own);
    expect(facts.at(-2)).toMatchObject({
      event: 'vendor.error',
      payload: { operation: 'revoke', failure: 'lock_offline', vendorCode: '-3002', retryAt: null },
    });
    expect(facts.at(-1)).toMatchObject({
      event: 'key_credential.revoked',
      payload: { reason: 'check_out', confirmedByLock: false },
    });
    // It is in the queue until the lock is back.
    lock.isOnline = true;
    const key = await mainKey(stay, own);
    await house.send(own.owner, 'POST', `/key-queue/${key.credentialId}/retry`);
    await house.system.settled();
    expect(await mainKey(stay, own)).toMatchObject({
      status: 'revoked',
      confirmedByLock: true,
      queuedAt: null,
    });
    expect(atDoor(key.credentialId)).toEqual([]);
    const revoked = (await factsOf(stay, own)).filter(({ event }) => event === 'key_credential.revoked');
    expect(revoked).toHaveLength(1);
  });

  test('a cancellation while a code is being fetched: nobody hears of it, and it is taken back', async () => {
    const own = await house.newHotel('ttlock', { rooms: 1 });
    const stay = booked({}, own);
    const held = holdAt('lock_integration.after-call');
    await house.system.publish(own.tenantId, [stay.confirmed()]);
    await held.reached;
    await house.system.publish(own.tenantId, [stay.cancelled()]);
    await waitUntil('the cancellation was heard', async () => {
      const [key] = await house.keys(own.owner, stay);
      return key?.status === 'ending';
    });
    disarmFailpoints();
    held.release();
    await house.system.settled();
    await house.passTime();
    expect(await factsOf(stay, own)).toEqual([]);
    const [key] = await house.keys(own.owner, stay);
    expect(key).toMatchObject({ status: 'revoked' });
    expect(atDoor(key?.credentialId as string)).toEqual([]);
  });

  test('two workers on one key: one of them calls', async () => {
    const own = await house.newHotel('ttlock', { rooms: 1 });
    house.simulators.ttlock.misbehave('issue', 300);
    const stay = booked({ isPaid: false }, own);
    await house.tell(own.tenantId, stay.checkInStarted());
    const key = await mainKey(stay, own);
    await house.system.database.admin(
      "update lock_integration.keys set at_vendor = 'absent', status = 'wanted', next_try_at = now() where tenant_id = $1",
      [own.tenantId],
    );
    const before = house.simulators.ttlock.asked.filter(one => one === 'issue').length;
    const both = await Promise.all(
      [1, 2].map(() => workKeyNow(inTenant(own), house.locks, key.credentialId)),
    );
    expect(both.toSorted()).toEqual(['done', 'not_due']);
    expect(house.simulators.ttlock.asked.filter(one => one === 'issue').length - before).toBe(1);
  });
});
