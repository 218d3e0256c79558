import { accepted } from '@ghasi/db/accepted';
import { lockEntity } from '@ghasi/db/advisory-lock';
import type { Database } from '@ghasi/db/database';
import { type Actor, type Ctx, tenantTransaction } from '@ghasi/db/tenant-transaction';
import type { Id, TenantId } from '@ghasi/domain-primitives/ids';
import { addDays } from '@ghasi/domain-primitives/local-date';
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

const seeder: Actor = { type: 'system', id: 'seed' };

/** Rooms of a seed were there before it: three months of past stays need a bed. In days. */
const SOLD_SINCE = 120;

/**
 * Opens the houses that are missing, with everything in them, and leaves those that exist as they are; safe to run at
 * every start and in two processes at once. The hotel day is today's date in the house's zone.
 */
export async function seedHouses(
  db: Database,
  houses: readonly SeedHouse[],
  { now = new Date() }: { now?: Date } = {},
): Promise<void> {
  for (const house of houses) {
    await tenantTransaction(db, { tenantId: house.tenantId, actor: seeder, now }, ctx =>
      seedHouse(ctx, house),
    );
  }
}

async function seedHouse(ctx: Ctx, { id, facts, roomTypes }: SeedHouse) {
  await lockEntity(ctx.tx, ctx.tenantId, { type: 'property', id });
  if (await findProperty(ctx.tx, id)) return accepted(undefined, []);
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
  return accepted(undefined, events);
}
