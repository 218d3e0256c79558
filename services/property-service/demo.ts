import { type Accepted, accepted } from '@ghasi/db/accepted';
import { lockEntity } from '@ghasi/db/advisory-lock';
import type { Database } from '@ghasi/db/database';
import { type Actor, type Ctx, tenantTransaction } from '@ghasi/db/tenant-transaction';
import type { Id, TenantId } from '@ghasi/domain-primitives/ids';
import { addDays, type LocalDate, parseLocalDate } from '@ghasi/domain-primitives/local-date';
import { createProperty } from './commands/properties.ts';
import { draftRoomType, publishRoomType } from './commands/room-type.ts';
import { addRoom } from './commands/rooms.ts';
import type { NewProperty, RoomTypeSpec } from './contract/resources.ts';
import { firstDay } from './model.ts';
import { findProperty } from './queries/properties.ts';

/** A room as a seed describes it. */
export type SeedRoom = { id: Id<'rom'>; number: string; floor: string; accessible: boolean };

/** A type of room with its rooms. */
export type SeedRoomType = { id: Id<'rty'>; code: string; spec: RoomTypeSpec; rooms: readonly SeedRoom[] };

/** A house as a seed describes it; all ids are given, so that seeding twice finds what it made the first time. */
export type SeedHouse = {
  tenantId: TenantId;
  id: Id<'pro'>;
  facts: Omit<NewProperty, 'businessDate'>;
  roomTypes: readonly SeedRoomType[];
};

/** The hotel days of a house: the one it opened with, and the one it is on. */
export type HotelDays = { id: Id<'pro'>; openedOn: LocalDate; businessDate: LocalDate };

const seeder: Actor = { type: 'system', id: 'seed' };

/** Rooms of a seed were there before it: three months of past stays need a bed. In days. */
export const SOLD_SINCE = 120;

/**
 * Opens the houses that are missing, with everything in them, and leaves those that exist as they are; safe to run at
 * every start and in two processes at once. The hotel day of a new one is today's date in its zone.
 */
export async function seedHouses(
  db: Database,
  houses: readonly SeedHouse[],
  { now = new Date() }: { now?: Date } = {},
): Promise<HotelDays[]> {
  const days: HotelDays[] = [];
  for (const house of houses) {
    const who = { tenantId: house.tenantId, actor: seeder, now };
    days.push(await tenantTransaction(db, who, ctx => seedHouse(ctx, house)));
  }
  return days;
}

async function seedHouse(ctx: Ctx, { id, facts, roomTypes }: SeedHouse): Promise<Accepted<HotelDays>> {
  await lockEntity(ctx.tx, ctx.tenantId, { type: 'property', id });
  const known = await findProperty(ctx.tx, id);
  if (known !== undefined) {
    const [openedOn, businessDate] = [parseLocalDate(known.openedOn), parseLocalDate(known.businessDate)];
    return accepted({ id, openedOn, businessDate }, []);
  }
  const events: unknown[] = [];
  const today = firstDay(facts.zone, ctx.now);
  events.push(...(await createProperty(ctx, { ...facts, id, businessDate: today })).events);
  for (const { id: roomTypeId, code, spec, rooms } of roomTypes) {
    await draftRoomType(ctx, { id: roomTypeId, propertyId: id, code, spec });
    events.push(...(await publishRoomType(ctx, { id: roomTypeId, version: 1 })).events);
    for (const room of rooms) {
      const sellableFrom = addDays(today, -SOLD_SINCE);
      const added = await addRoom(ctx, { ...room, roomTypeId, propertyId: id, sellableFrom });
      events.push(...added.events);
    }
  }
  return accepted({ id, openedOn: today, businessDate: today }, events);
}
