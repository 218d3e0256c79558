import { accepted } from '@ghasi/db/accepted';
import { lockEntity } from '@ghasi/db/advisory-lock';
import type { Database } from '@ghasi/db/database';
import { type Actor, type Ctx, tenantTransaction } from '@ghasi/db/tenant-transaction';
import type { CurrencyCode } from '@ghasi/domain-primitives/currencies';
import { days } from '@ghasi/domain-primitives/duration';
import type { Id, TenantId } from '@ghasi/domain-primitives/ids';
import { addDays, type LocalDate } from '@ghasi/domain-primitives/local-date';
import { type NewTicket, openTicket } from './commands/open-ticket.ts';
import { createPlan } from './commands/plans.ts';
import { assignTicket, closeTicket, holdTicket, startTicket } from './commands/work.ts';
import { saveHouse, saveRoom } from './queries/houses.ts';
import { listPlans } from './queries/plans.ts';

/** A house of the demo; its ids are those that property-service tells of. */
export type SeedHouse = {
  tenantId: TenantId;
  propertyId: Id<'pro'>;
  currency: CurrencyCode;
  /** On the property's calendar. */
  today: LocalDate;
  rooms: readonly { id: Id<'rom'>; roomTypeId: Id<'rty'>; number: string }[];
  reporterId: Id<'usr'>;
  mechanicId: Id<'usr'>;
};

const seeder: Actor = { type: 'system', id: 'seed' };

/** Repairs that are over: how many days ago, in which room, minutes of work, cost of parts in an hour's wages. */
const past = [
  { ago: 40, room: 1, title: 'Heater does not ignite', category: 'heating_cooling', minutes: 90, parts: 3 },
  { ago: 25, room: 4, title: 'Lock jams', category: 'door_lock', minutes: 45, parts: 2 },
  { ago: 12, room: 7, title: 'Shower drips', category: 'plumbing', minutes: 60, parts: 1 },
] as const;

/** An hour of work in minor units. */
const hourly = (currency: CurrencyCode) => (currency === 'AFN' ? 20_000n : 300n);

/**
 * Gives a house plans and work orders in every state, among them one that takes the last room out of order for three
 * nights; leaves a house that has plans as it is. What property-service tells may arrive before or after.
 */
export function seedMaintenance(db: Database, house: SeedHouse): Promise<void> {
  return tenantTransaction(db, { tenantId: house.tenantId, actor: seeder }, async ctx => {
    const { propertyId: id, currency, today: businessDate } = house;
    await lockEntity(ctx.tx, ctx.tenantId, { type: 'maintenance.seed', id });
    if ((await listPlans(ctx, id)).length > 0) return accepted(undefined, []);
    await saveHouse(ctx, { id, businessDate, currency, version: 0 });
    for (const room of house.rooms) await saveRoom(ctx, { ...room, propertyId: id, closedFrom: null }, 0);
    await seedPlans(ctx, house);
    return accepted(undefined, [...(await seedPast(ctx, house)), ...(await seedOpen(ctx, house))]);
  });
}

async function seedPlans(ctx: Ctx, { propertyId, today }: SeedHouse): Promise<void> {
  const plan = { propertyId, roomId: null, severity: 'inconvenient' } as const;
  await createPlan(ctx, {
    ...{ ...plan, area: 'plant', everyRoom: false, category: 'electrical', title: 'Service the generator' },
    ...{ everyDays: 30, nextDue: addDays(today, 6) },
  });
  await createPlan(ctx, {
    ...{ ...plan, area: null, everyRoom: true, category: 'safety', title: 'Test the smoke detector' },
    ...{ everyDays: 180, nextDue: addDays(today, 45) },
  });
}

async function seedPast(now: Ctx, house: SeedHouse): Promise<unknown[]> {
  const { mechanicId: by, currency } = house;
  const events: unknown[] = [];
  for (const { ago, room, title, category, minutes, parts } of past) {
    const ctx = at(now, -days(ago));
    const opened = await openTicket(ctx, inRoom(house, room, { title, category }), house.reporterId);
    const { id } = opened.value;
    const money = (minor: bigint) => ({ amount: String(minor), currency });
    const closed = await closeTicket(at(ctx, days(1)), {
      ...{ id, by, note: null, resolution: 'repaired' },
      parts: [{ name: 'Spare part', quantity: 1, cost: money(hourly(currency) * BigInt(parts)) }],
      labour: { minutes, cost: money((hourly(currency) * BigInt(minutes)) / 60n) },
    });
    events.push(...opened.events, ...closed.events);
  }
  return events;
}

async function seedOpen(ctx: Ctx, house: SeedHouse): Promise<unknown[]> {
  const { today, rooms, reporterId, mechanicId: by } = house;
  const open = (ticket: NewTicket) => openTicket(ctx, ticket, reporterId);
  const burst = await open({
    ...inRoom(house, rooms.length - 1, { title: 'Pipe behind the wall leaks', category: 'plumbing' }),
    severity: 'dangerous',
    block: { kind: 'out_of_order', from: today, until: addDays(today, 3) },
  });
  const slow = await open(inRoom(house, 2, { title: 'Wi-Fi is slow', category: 'internet' }));
  const lamp = await open(inRoom(house, 5, { title: 'Bedside lamp flickers', category: 'electrical' }));
  const fence = await open({
    ...inRoom(house, 0, { title: 'Fence by the gate leans', category: 'structure' }),
    ...{ roomId: null, area: 'garden', severity: 'cosmetic' },
  });
  await startTicket(ctx, { id: burst.value.id, by, note: 'water is off' });
  await assignTicket(ctx, { id: lamp.value.id, by, assigneeId: by, note: null });
  await holdTicket(ctx, { id: fence.value.id, by, note: 'waits for timber' });
  return [burst, slow, lamp, fence].flatMap(({ events }) => events);
}

function inRoom(
  { propertyId, rooms }: SeedHouse,
  n: number,
  what: Pick<NewTicket, 'title' | 'category'>,
): NewTicket {
  const room = rooms[n % rooms.length];
  if (room === undefined) throw new Error('a house of the demo has rooms');
  const rest = {
    area: null,
    severity: 'inconvenient',
    description: null,
    block: null,
    photoIds: [],
  } as const;
  return { ...what, ...rest, propertyId, roomId: room.id };
}

/** The same transaction at another moment. */
function at(ctx: Ctx, ms: number): Ctx {
  return { ...ctx, now: new Date(ctx.now.getTime() + ms) };
}
