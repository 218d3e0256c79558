import { addDays } from '@ghasi/domain-primitives/local-date';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newProperty, roomTypeSpec } from './contract/resources.ts';
import { PropertyCreated, RoomAdded, RoomTypePublished } from './contract.ts';
import { seedHouses } from './demo.ts';
import { demoHouses } from './demo-houses.ts';
import { type House, openHouse } from './fixtures/house.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

test('the demo could have been typed in: every house and type passes the checks of the routes', () => {
  for (const { facts, roomTypes } of demoHouses) {
    expect(newProperty.safeParse(facts).error).toBeUndefined();
    for (const { spec } of roomTypes) expect(roomTypeSpec.safeParse(spec).error).toBeUndefined();
  }
});

test('three houses in three groups and cities, with all their rooms, however often they are seeded', async () => {
  const now = new Date('2026-03-20T20:00:00Z'); // 00:30 of the 21st in Kabul
  await Promise.all([seedHouses(house.db, demoHouses, { now }), seedHouses(house.db, demoHouses, { now })]);
  await seedHouses(house.db, demoHouses, { now: new Date('2026-04-01T00:00:00Z') });
  for (const { tenantId, id, roomTypes } of demoHouses) {
    const told = await house.published(tenantId);
    const of = ({ subject }: { subject: string }) => told.filter(({ topic }) => topic === subject);
    expect(of(PropertyCreated)).toMatchObject([{ payload: { propertyId: id, businessDate: '2026-03-21' } }]);
    expect(of(RoomTypePublished)).toHaveLength(roomTypes.length);
    const rooms = roomTypes.flatMap(type => type.rooms);
    expect(of(RoomAdded).map(({ aggregateId }) => aggregateId)).toEqual(rooms.map(room => room.id));
    const since = addDays('2026-03-21' as never, -120);
    for (const { payload } of of(RoomAdded)) expect(payload).toMatchObject({ sellableFrom: since });
  }
  const counts = demoHouses.map(({ roomTypes }) => roomTypes.flatMap(type => type.rooms).length);
  expect(counts).toEqual([24, 18, 12]);
  expect(new Set(demoHouses.map(one => one.tenantId)).size).toBe(3);
  expect(new Set(demoHouses.map(one => one.facts.city[0]?.text)).size).toBe(3);
});
