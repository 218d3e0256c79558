import type { Id } from '@ghasi/domain-primitives/ids';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { FIRST_DAY, type House, type Inn, openHouse, short } from './fixtures/house.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

const at = (inn: Inn, role: string) => ({ tenantId: inn.tenantId, roles: [role] });
const see = async (inn: Inn, body: object) =>
  (
    await house.send(
      at(inn, 'housekeeping'),
      'POST',
      `/housekeeping/rooms/${inn.rooms[0]}/observations`,
      body,
    )
  ).body.discrepancy;
const list = async (inn: Inn, status = 'open') =>
  (
    await house.send(
      at(inn, 'front_desk'),
      'GET',
      `/housekeeping/discrepancies?propertyId=${inn.propertyId}&status=${status}`,
    )
  ).body.discrepancies;
const decide = (inn: Inn, id: string, decision: string, role = 'front_desk') =>
  house.send(at(inn, role), 'POST', `/housekeeping/discrepancies/${id}/resolve`, {
    decision,
    note: 'looked',
  });
const state = async (inn: Inn) => short((await house.roomOf(inn.tenantId, inn.rooms[0])).state);

async function innWithGuest(persons = 2) {
  const inn = await house.inn(1);
  const [roomId] = inn.rooms as [Id<'rom'>];
  const booking = inn.book({ arrival: FIRST_DAY, departure: '2027-05-14', roomId, persons });
  await house.hear(inn.tenantId, booking.confirmed(), booking.checkedIn());
  return { inn, roomId, booking };
}

test('R26: the desk has a guest, housekeeping finds nobody: a skip that a person settles, and the room is left', async () => {
  const { inn, booking } = await innWithGuest();
  const found = await see(inn, { occupancy: 'vacant' });
  expect(found).toMatchObject({
    ...{ kind: 'skip', reservationId: booking.reservationId, businessDate: FIRST_DAY },
    frontOffice: { occupancy: 'occupied', persons: 2 },
    observed: { occupancy: 'vacant' },
  });
  expect(await state(inn)).toBe('occupied dirty'); // what the desk says still counts
  expect(await list(inn)).toMatchObject([{ id: found.id }]);
  expect(await decide(inn, found.id, 'room_cleared')).toMatchObject({
    status: 422,
    body: { code: 'DECISION_UNFIT' },
  });
  const settled = await decide(inn, found.id, 'guest_left');
  expect(settled.body).toMatchObject({ ending: 'guest_left', note: 'looked' });
  expect(settled.body.resolvedBy).toMatch(/^usr_/);
  expect(await state(inn)).toBe('vacant dirty');
  expect(await house.tasksOf(inn.tenantId, inn.rooms[0])).toMatchObject([{ kind: 'departure_clean' }]);
  const told = (await house.published(inn.tenantId)).map(({ payload }) => payload as { cause?: string });
  expect(told.at(-2)).toMatchObject({ cause: 'discrepancy_resolved' });
  // The check-out that follows finds it done.
  expect(await house.hear(inn.tenantId, booking.checkedOut({ businessDate: FIRST_DAY }))).toEqual([]);
  expect(await decide(inn, found.id, 'guest_left')).toMatchObject({
    status: 409,
    body: { code: 'DISCREPANCY_RESOLVED' },
  });
});

test('R26, R14, SAGA-41: somebody in a room that is empty for the desk: a sleep, not a guest, and the room is not ready', async () => {
  const inn = await house.inn(1, { inspectedBeforeCheckIn: false });
  const set = { roomIds: inn.rooms, condition: 'clean' };
  await house.send(at(inn, 'housekeeping'), 'POST', '/housekeeping/room-conditions', set);
  const found = await see(inn, { occupancy: 'occupied', persons: 1 });
  expect(found).toMatchObject({ kind: 'sleep', reservationId: null });
  expect(await state(inn)).toBe('vacant clean');
  const board = () => house.send(at(inn, 'owner'), 'GET', `/housekeeping/rooms?propertyId=${inn.propertyId}`);
  expect((await board()).body.rooms).toMatchObject([
    { ready: false, notReady: 'discrepancy', discrepancyId: found.id, observed: { occupancy: 'occupied' } },
  ]);
  await decide(inn, found.id, 'room_cleared');
  expect(await state(inn)).toBe('vacant dirty');
  expect((await board()).body.rooms).toMatchObject([
    { discrepancyId: null, observed: { occupancy: 'vacant' } },
  ]);
});

test('R26: more people than booked: counted, listed and accepted, and nothing changes in the room', async () => {
  const { inn } = await innWithGuest(2);
  expect(await see(inn, { occupancy: 'occupied', persons: 2 })).toBeNull();
  expect(await see(inn, { occupancy: 'occupied' })).toBeNull(); // not counted
  const found = await see(inn, { occupancy: 'occupied', persons: 4 });
  expect(found).toMatchObject({
    kind: 'person_count',
    frontOffice: { persons: 2 },
    observed: { persons: 4 },
  });
  expect((await decide(inn, found.id, 'count_accepted')).status).toBe(200);
  expect(await state(inn)).toBe('occupied dirty');
  expect([await list(inn), (await list(inn, 'all')).length]).toEqual([[], 1]);
});

test('R26: a room has one open discrepancy; looking again replaces it, and an observation can be wrong', async () => {
  const { inn } = await innWithGuest(2);
  const skip = await see(inn, { occupancy: 'vacant' });
  const count = await see(inn, { occupancy: 'occupied', persons: 3 });
  expect(await list(inn)).toMatchObject([{ id: count.id, kind: 'person_count' }]);
  expect(await list(inn, 'all')).toMatchObject([{}, { id: skip.id, ending: 'seen_again', resolvedBy: null }]);
  await decide(inn, count.id, 'observation_wrong');
  expect(await list(inn)).toEqual([]);
  expect(await state(inn)).toBe('occupied dirty');
});

test('R26: when the desk checks the guest out after all, the two agree again', async () => {
  const { inn, booking } = await innWithGuest();
  const found = await see(inn, { occupancy: 'vacant' });
  await house.hear(inn.tenantId, booking.checkedOut({ businessDate: FIRST_DAY }));
  expect(await list(inn)).toEqual([]);
  expect(await list(inn, 'all')).toMatchObject([{ id: found.id, ending: 'front_office_changed' }]);
});

test('the desk settles discrepancies, housekeeping finds them', async () => {
  const { inn } = await innWithGuest();
  const found = await see(inn, { occupancy: 'vacant' });
  expect(await decide(inn, found.id, 'observation_wrong', 'housekeeping')).toMatchObject({ status: 403 });
  const byDesk = await house.send(
    at(inn, 'front_desk'),
    'POST',
    `/housekeeping/rooms/${inn.rooms[0]}/observations`,
    { occupancy: 'vacant' },
  );
  expect(byDesk.status).toBe(403);
});
