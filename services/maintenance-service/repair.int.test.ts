import type { Service } from '@ghasi/backbone/define-service';
import type { Id } from '@ghasi/domain-primitives/ids';
import { newId } from '@ghasi/domain-primitives/ids';
import { somebody } from '@ghasi/http/fixtures/trusting-host';
import { type System, startSystem } from '@ghasi/testing/system';
import { newTenantId } from '@ghasi/testing/tenants';
import { RoomAdded } from '@melmastoon/property-service/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type NewTicket, openTicket } from './commands/open-ticket.ts';
import { closeTicket } from './commands/work.ts';
import { inDays, propertyCreated, serviceOf, today } from './fixtures/house.ts';
import { service } from './service.ts';

/** maintenance, inventory and housekeeping together, joined by events only. */
let system: System;
beforeAll(async () => {
  const others: Service[] = await Promise.all(['inventory-service', 'housekeeping-service'].map(serviceOf));
  system = await startSystem({ services: [service, ...others] });
});
afterAll(() => system.stop());

async function hotel() {
  const [tenantId, propertyId, roomTypeId] = [newTenantId(), newId('pro'), newId('rty')];
  const rooms = [newId('rom'), newId('rom')] as const;
  const door = { propertyId, roomTypeId, floor: null, accessible: false, sellableFrom: today };
  await system.publish(tenantId, [
    propertyCreated(propertyId),
    ...rooms.map((roomId, n) =>
      RoomAdded.from({ ...door, roomId, number: String(n) }, { aggregateVersion: 1 }),
    ),
  ]);
  await system.settled();
  return { tenantId, propertyId, rooms };
}

const sellable = (tenantId: string) =>
  system.query<{ date: string; rooms: number }>(
    'inventory',
    'select date::text, rooms from nights where tenant_id = $1 and date >= $2 and date < $3 order by date',
    [tenantId, today, inDays(4)],
  );
const stateOf = async (tenantId: string) => {
  const [room] = await system.query<{ condition: string; blocked: boolean }>(
    'housekeeping',
    `select condition, overlay_ticket_id is not null as blocked from rooms
     where tenant_id = $1 order by overlay_ticket_id nulls last, condition desc limit 1`,
    [tenantId],
  );
  return room;
};

test('R11, R26: one fact: a ticket takes its room off sale and off the board, and closing it brings both back', async () => {
  const { tenantId, propertyId, rooms } = await hotel();
  const block = { kind: 'out_of_order', from: today, until: inDays(2) } as const;
  const where = { propertyId, roomId: rooms[0], area: null, category: 'plumbing' } as const;
  const what = { severity: 'urgent', title: 'Pipe drips', description: null, photoIds: [] } as const;
  const ticket = await system.run(
    service,
    tenantId,
    (ctx, wanted: NewTicket) => openTicket(ctx, wanted, somebody),
    {
      ...where,
      ...what,
      block,
    },
  );
  await system.settled();
  expect((await sellable(tenantId)).map(night => night.rooms)).toEqual([1, 1, 2, 2]);
  expect(await stateOf(tenantId)).toEqual({ condition: 'dirty', blocked: true });
  const nothing = { amount: '0', currency: 'AFN' as const };
  await system.run(service, tenantId, closeTicket, {
    ...{ id: ticket.id, by: somebody as Id<'usr'>, note: null, resolution: 'repaired', parts: [] },
    labour: { minutes: 10, cost: nothing },
  });
  await system.settled();
  expect((await sellable(tenantId)).map(night => night.rooms)).toEqual([2, 2, 2, 2]);
  expect(await stateOf(tenantId)).toEqual({ condition: 'dirty', blocked: false });
  const tasks = await system.query('housekeeping', 'select kind, cause from tasks where tenant_id = $1', [
    tenantId,
  ]);
  expect(tasks).toEqual([{ kind: 'deep_clean', cause: 'maintenance_done' }]);
});

test('R11: more nights are a ticket that follows, and both together keep the room out', async () => {
  const { tenantId, propertyId, rooms } = await hotel();
  const where = { propertyId, roomId: rooms[0], area: null, category: 'plumbing' } as const;
  const what = { severity: 'urgent', title: 'Pipe drips', description: null, photoIds: [] } as const;
  const open = (from: typeof today, until: typeof today) =>
    system.run(service, tenantId, (ctx, wanted: NewTicket) => openTicket(ctx, wanted, somebody), {
      ...where,
      ...what,
      block: { kind: 'out_of_order', from, until } as const,
    });
  await open(today, inDays(1));
  await open(inDays(1), inDays(3));
  await system.settled();
  expect((await sellable(tenantId)).map(night => night.rooms)).toEqual([1, 1, 1, 2]);
});
