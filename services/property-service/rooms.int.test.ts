import { defineQuestion } from '@ghasi/backbone/question';
import { type Id, newId } from '@ghasi/domain-primitives/ids';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { RoomTypeView, RoomView } from './contract/resources.ts';
import { AmenityChanged, RoomAdded, RoomArchived, RoomTypePublished, roomCheck } from './contract.ts';
import { type House, openHouse, type Person, plainRoom } from './fixtures/house.ts';

/** Who has the room, as inventory will say. */
let holders: Id<'rsv'>[] = [];
const assignedTo = defineQuestion({ name: 'inventory.assigned-to', ...roomCheck });

let house: House;
beforeAll(async () => {
  house = await openHouse({
    roomChecks: [assignedTo],
    ask: async (question, input) => {
      question.input.parse(input);
      return question.output.parse({ reservationIds: holders });
    },
  });
});
afterAll(() => house.close());
beforeEach(() => {
  holders = [];
});

const told = async ({ tenantId }: Person, { subject }: { subject: string }) =>
  (await house.published(tenantId)).filter(({ topic }) => topic === subject);
const draft = (who: Person, propertyId: Id<'pro'>, body: object = {}) =>
  house.send<RoomTypeView>(who, 'POST', `/properties/${propertyId}/room-types`, {
    code: 'DBL',
    spec: plainRoom,
    ...body,
  });
const publish = (who: Person, id: Id<'rty'>, version: number) =>
  house.send<RoomTypeView>(who, 'POST', `/room-types/${id}/publish`, { version });
const add = (who: Person, propertyId: Id<'pro'>, body: object) =>
  house.send<RoomView>(who, 'POST', `/properties/${propertyId}/rooms`, body);
const archive = (who: Person, id: Id<'rom'>, body: object) =>
  house.send<RoomView>(who, 'POST', `/rooms/${id}/archive`, body);

async function opened() {
  const who = house.person('manager');
  const property = await house.property(who, { businessDate: '2026-03-20' });
  return { who, propertyId: property.id };
}

test('EVT-14: a draft tells nobody; publishing tells the whole spec, each version once', async () => {
  const { who, propertyId } = await opened();
  const { body: type } = await draft(who, propertyId);
  expect(type).toMatchObject({ status: 'draft', specVersion: 0, published: null, changed: true, version: 1 });
  expect(await told(who, RoomTypePublished)).toEqual([]);

  const { body: first } = await publish(who, type.id, 1);
  expect(first).toMatchObject({ status: 'published', specVersion: 1, changed: false, version: 2 });
  expect(await publish(who, type.id, 2)).toMatchObject({ status: 409, body: { code: 'NOTHING_TO_PUBLISH' } });

  const spec = { ...plainRoom, maxChildren: 2, maxGuests: 4 };
  const path = `/room-types/${type.id}/draft`;
  const { body: edited } = await house.send<RoomTypeView>(who, 'PUT', path, { version: 2, spec });
  expect(edited).toMatchObject({ changed: true, draft: spec, published: plainRoom, version: 3 });
  expect(await publish(who, type.id, 2)).toMatchObject({ body: { code: 'VERSION_CONFLICT' } });
  expect(await publish(who, type.id, 3)).toMatchObject({ body: { specVersion: 2, published: spec } });
  const shared = { propertyId, roomTypeId: type.id };
  expect(await told(who, RoomTypePublished)).toMatchObject([
    { aggregateVersion: 2, payload: { ...shared, ...plainRoom, specVersion: 1 } },
    { aggregateVersion: 4, payload: { ...shared, ...spec, specVersion: 2 } },
  ]);
});

test('EVT-15: publishing tells what the type offers when that changed, in the order of the house', async () => {
  const { who, propertyId } = await opened();
  const { body: type } = await draft(who, propertyId);
  await publish(who, type.id, 1);
  const spec = { ...plainRoom, amenities: ['balcony'] };
  await house.send(who, 'PUT', `/room-types/${type.id}/draft`, { version: 2, spec });
  await publish(who, type.id, 3);
  const shared = { propertyId, roomTypeId: type.id };
  expect(await told(who, AmenityChanged)).toMatchObject([
    { aggregateId: propertyId, aggregateVersion: 2, payload: { ...shared, added: ['heating'], removed: [] } },
    { aggregateVersion: 3, payload: { ...shared, added: ['balcony'], removed: ['heating'] } },
  ]);
});

test('a code names one type of a house, and another house may use it', async () => {
  const { who, propertyId } = await opened();
  await draft(who, propertyId);
  expect(await draft(who, propertyId)).toMatchObject({ status: 409, body: { code: 'ROOM_TYPE_CODE_TAKEN' } });
  const other = await house.property(who);
  expect(await draft(who, other.id)).toMatchObject({ status: 201 });
});

test('EVT-12: a room of a published type is added and told, sold from the hotel day on', async () => {
  const { who, propertyId } = await opened();
  const { body: type } = await draft(who, propertyId);
  const door = { roomTypeId: type.id, number: '204' };
  expect(await add(who, propertyId, door)).toMatchObject({ body: { code: 'ROOM_TYPE_NOT_PUBLISHED' } });
  await publish(who, type.id, 1);
  const { status, body: room } = await add(who, propertyId, door);
  expect(status).toBe(201);
  const facts = { ...door, propertyId, floor: null, accessible: false, sellableFrom: '2026-03-20' };
  expect(room).toMatchObject({ ...facts, status: 'active', version: 1 });
  const added = { aggregateId: room.id, aggregateVersion: 1, payload: { ...facts, roomId: room.id } };
  expect(await told(who, RoomAdded)).toMatchObject([added]);
});

test('a number is on one door of a house; two who add it at once make one room', async () => {
  const { who, propertyId } = await opened();
  const { type } = await house.rooms(who, propertyId);
  const door = { roomTypeId: type.id, number: '102' };
  const replies = await Promise.all(Array.from({ length: 4 }, () => add(who, propertyId, door)));
  expect(replies.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409]);
  expect(replies.find(({ status }) => status === 409)?.body.code).toBe('ROOM_NUMBER_TAKEN');
  expect(await told(who, RoomAdded)).toHaveLength(2);
});

test('a room type of another house has no room here', async () => {
  const { who, propertyId } = await opened();
  const { type } = await house.rooms(who, propertyId);
  const other = await house.property(who);
  const reply = await add(who, other.id, { roomTypeId: type.id, number: '1' });
  expect(reply).toMatchObject({ status: 422, body: { code: 'ROOM_TYPE_ELSEWHERE' } });
});

test('EVT-13: an archived room is told once, and its number is free for a new room', async () => {
  const { who, propertyId } = await opened();
  const { room, type } = await house.rooms(who, propertyId);
  const end = { version: 1, closedFrom: '2026-04-01', reason: 'converted' };
  expect(await archive(who, room.id, end)).toMatchObject({
    status: 200,
    body: { status: 'archived', closedFrom: '2026-04-01', archiveReason: 'converted', version: 2 },
  });
  expect(await archive(who, room.id, { ...end, version: 2 })).toMatchObject({
    body: { code: 'ROOM_ARCHIVED' },
  });
  const { number, roomTypeId } = room;
  const payload = {
    roomId: room.id,
    propertyId,
    roomTypeId,
    number,
    closedFrom: '2026-04-01',
    reason: 'converted',
  };
  expect(await told(who, RoomArchived)).toMatchObject([
    { aggregateId: room.id, aggregateVersion: 2, payload },
  ]);
  expect(await add(who, propertyId, { roomTypeId: type.id, number })).toMatchObject({ status: 201 });
  type Page = { rooms: RoomView[] };
  const { body } = await house.send<Page>(who, 'GET', `/properties/${propertyId}/rooms?status=active`);
  expect(body.rooms.map(one => one.id)).not.toContain(room.id);
  expect(body.rooms).toHaveLength(1);
});

test('R11: a room that reservations have is not archived: 409 names them, and nothing changes', async () => {
  const { who, propertyId } = await opened();
  const { room } = await house.rooms(who, propertyId);
  holders = [newId('rsv'), newId('rsv')];
  const reply = await archive(who, room.id, { version: 1, closedFrom: '2026-04-01', reason: 'closed' });
  expect(reply).toMatchObject({ status: 409, body: { code: 'ROOM_ASSIGNED' } });
  expect(reply.body.issues?.map(({ path }) => path)).toEqual(holders);
  expect(await house.send(who, 'GET', `/rooms/${room.id}`)).toMatchObject({ body: { status: 'active' } });
  expect(await told(who, RoomArchived)).toEqual([]);
});

test('a room cannot be closed for nights that are over', async () => {
  const { who, propertyId } = await opened();
  const { room } = await house.rooms(who, propertyId);
  const reply = await archive(who, room.id, { version: 1, closedFrom: '2026-03-19', reason: 'closed' });
  expect(reply).toMatchObject({ status: 422, body: { code: 'ROOM_CLOSES_IN_THE_PAST' } });
  const stale = await archive(who, room.id, { version: 7, closedFrom: '2026-03-20', reason: 'closed' });
  expect(stale).toMatchObject({ status: 409, body: { code: 'VERSION_CONFLICT' } });
});
