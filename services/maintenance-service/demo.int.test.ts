import { newId } from '@ghasi/domain-primitives/ids';
import { newTenantId } from '@ghasi/testing/tenants';
import { RoomAdded } from '@melmastoon/property-service/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TicketClosed, TicketOpened } from './contract.ts';
import { seedMaintenance } from './demo.ts';
import { type House, inDays, openHouse, propertyCreated, today } from './fixtures/house.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

test('the demo shows orders in every state and one room out of order, however often it is seeded', async () => {
  const [tenantId, propertyId, roomTypeId] = [newTenantId(), newId('pro'), newId('rty')];
  const rooms = Array.from({ length: 12 }, (_, n) => ({
    id: newId('rom'),
    roomTypeId,
    number: String(101 + n),
  }));
  const people = { reporterId: newId('usr'), mechanicId: newId('usr') };
  const seed = { tenantId, propertyId, currency: 'AFN', today, rooms, ...people } as const;
  await Promise.all([seedMaintenance(house.db, seed), seedMaintenance(house.db, seed)]);
  await house.hear(tenantId, propertyCreated(propertyId));
  const door = { roomId: rooms[0]?.id as never, propertyId, roomTypeId, number: 'A1', floor: '1' };
  const added = RoomAdded.from({ ...door, accessible: true, sellableFrom: today }, { aggregateVersion: 1 });
  await house.hear(tenantId, added);
  await seedMaintenance(house.db, { ...seed, today: inDays(9) });
  const owner = { tenantId, roles: ['owner'] };
  const { body } = await house.send(owner, 'GET', `/maintenance/tickets?propertyId=${propertyId}`);
  const statuses = body.tickets.map(({ status }: { status: string }) => status).sort();
  expect(statuses).toEqual(['assigned', 'done', 'done', 'done', 'in_progress', 'on_hold', 'open']);
  const [blocked] = body.tickets.filter(({ block }: { block: unknown }) => block !== null);
  expect(blocked).toMatchObject({
    ...{ roomId: rooms.at(-1)?.id, status: 'in_progress' },
    block: { kind: 'out_of_order', from: today, until: inDays(3) },
  });
  const told = await house.published(tenantId);
  const of = ({ subject }: { subject: string }) => told.filter(({ topic }) => topic === subject);
  expect([of(TicketOpened).length, of(TicketClosed).length]).toEqual([7, 3]);
  expect(of(TicketClosed)[0]?.payload).toMatchObject({ cost: { amount: '90000', currency: 'AFN' } });
});
