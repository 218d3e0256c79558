import { newId } from '@ghasi/domain-primitives/ids';
import { newTenantId } from '@ghasi/testing/tenants';
import { RoomAdded } from '@melmastoon/property-service/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { plan } from './contract/resources.ts';
import { seedHousekeeping } from './demo.ts';
import { day } from './fixtures/booking.ts';
import { type House, openHouse } from './fixtures/house.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

test('the demo shows rooms in every condition and work in every state, however often it is seeded', async () => {
  const [tenantId, propertyId, roomTypeId] = [newTenantId(), newId('pro'), newId('rty')];
  const rooms = Array.from({ length: 24 }, (_, n) => ({
    ...{ id: newId('rom'), roomTypeId, number: String(101 + n), floor: '1' },
  }));
  const seed = { tenantId, propertyId, rooms, keeperId: newId('usr'), today: day('2027-05-10') };
  await Promise.all([seedHousekeeping(house.db, seed), seedHousekeeping(house.db, seed)]);
  const told = (await house.published(tenantId)).length;
  // What property-service tells afterwards fills in the room and changes nothing of its state.
  const door = { roomId: rooms[0]?.id as never, propertyId, roomTypeId, number: 'A1', floor: '1' };
  const rest = { accessible: true, sellableFrom: '2027-01-10' };
  await house.hear(tenantId, RoomAdded.from({ ...door, ...rest }, { aggregateVersion: 1 }));
  await seedHousekeeping(house.db, { ...seed, today: day('2027-06-10') });
  expect((await house.published(tenantId)).length).toBe(told);
  expect(await house.roomOf(tenantId, rooms[0]?.id)).toMatchObject({
    number: 'A1',
    state: { condition: 'inspected' },
  });
  const count = async (table: string, column: string) =>
    Object.fromEntries(
      (
        await house.database.admin<{ what: string; n: number }>(
          `select ${column} as what, count(*)::int as n from housekeeping.${table} where tenant_id = $1 group by 1`,
          [tenantId],
        )
      ).map(({ what, n }) => [what, n]),
    );
  expect(await count('rooms', 'condition')).toEqual({ inspected: 14, clean: 4, pickup: 3, dirty: 3 });
  expect(await count('tasks', 'status')).toEqual({ created: 2, assigned: 3, started: 1 });
});

test('the lists of the demo could have been typed in', async () => {
  const [found] = await house.database.admin<{ checklist: string[] }>(
    `select checklist from housekeeping.plans where kind = 'departure_clean'`,
  );
  expect(plan.safeParse({ estimatedMinutes: 35, items: found?.checklist }).error).toBeUndefined();
});
