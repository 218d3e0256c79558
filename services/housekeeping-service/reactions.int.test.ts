import { type Id, newId } from '@ghasi/domain-primitives/ids';
import { doubleDeliveryContract, type Samples } from '@ghasi/testing/double-delivery';
import { startSystem } from '@ghasi/testing/system';
import { newTenantId } from '@ghasi/testing/tenants';
import { BusinessDateAdvanced, PropertyCreated, RoomAdded } from '@melmastoon/property-service/contract';
import { describe, expect, test } from 'vitest';
import { RoomStatusChanged, TaskCreated } from './contract.ts';
import { arrange } from './fixtures/arrange.ts';
import { Booking, FIRST_DAY_OF_BOOKINGS } from './fixtures/booking.ts';
import { service } from './service.ts';

/** The samples live with the owners of the events. */
const samplesOf = async (owner: string) =>
  ((await import(new URL(`../${owner}/fixtures/samples.ts`, import.meta.url).href)) as { samples: Samples })
    .samples;
const owners = ['property-service', 'reservation-service', 'inventory-service', 'maintenance-service'];
const samples: Samples = Object.assign({}, ...(await Promise.all(owners.map(samplesOf))));

describe('INBOX-10: whatever arrives twice has one effect', () => {
  doubleDeliveryContract([service], samples, { arrange });
});

test('SAGA-41, SAGA-45, X-089: in a running system a house full of guests comes, stays and goes', async () => {
  await using system = await startSystem({ services: [service] });
  const [tenantId, propertyId] = [newTenantId(), newId('pro')];
  const house = (await samplesOf('property-service'))[PropertyCreated.subject] as object;
  const door = { propertyId, roomTypeId: newId('rty'), floor: null, accessible: false };
  const rooms = Array.from({ length: 8 }, () => newId('rom'));
  const arrival = FIRST_DAY_OF_BOOKINGS;
  await system.publish(tenantId, [
    PropertyCreated.from({ ...house, propertyId, businessDate: arrival } as never, { aggregateVersion: 1 }),
    ...rooms.map((roomId, n) =>
      RoomAdded.from(
        { ...door, roomId, number: String(n + 1), sellableFrom: arrival },
        { aggregateVersion: 1 },
      ),
    ),
  ]);
  await system.settled();
  const bookings = rooms.map(roomId => new Booking({ propertyId, arrival, departure: '2027-05-12', roomId }));
  await system.publish(
    tenantId,
    bookings.flatMap(one => [one.confirmed(), one.checkedIn()]),
  );
  await system.settled();
  const close = { closedDate: arrival, businessDate: '2027-05-11', closedBy: null, resolved: [] };
  await system.publish(tenantId, [
    BusinessDateAdvanced.from({ propertyId, ...close }, { aggregateVersion: 3 }),
  ]);
  await system.settled();
  // All leave at once while the messages of eight bookings are handled side by side.
  await system.publish(
    tenantId,
    bookings.map(one => one.checkedOut({ businessDate: '2027-05-11' })),
  );
  await system.settled();
  const states = await system.query('housekeeping', 'select occupancy, condition from rooms');
  expect(states).toEqual(rooms.map(() => ({ occupancy: 'vacant', condition: 'dirty' })));
  const told = (await system.events(TaskCreated)).map(({ payload }) => payload.kind);
  expect(told.filter(kind => kind === 'stayover_clean')).toHaveLength(8);
  expect(told.filter(kind => kind === 'departure_clean')).toHaveLength(8);
  const versions = Map.groupBy(await system.events(RoomStatusChanged), ({ payload }) => payload.roomId);
  for (const roomId of rooms)
    expect(versions.get(roomId as Id<'rom'>)?.map(({ payload }) => payload.statusVersion)).toEqual([1, 2]);
  const open = await system.query<{ n: number }>(
    'housekeeping',
    `select count(*)::int as n from tasks where status = 'created'`,
  );
  expect(open).toEqual([{ n: 8 }]);
});
