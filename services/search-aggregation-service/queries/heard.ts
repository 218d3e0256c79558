import { and, eq, lt, sql } from '@ghasi/db/drizzle';
import { execute } from '@ghasi/db/sql';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import type { CurrencyCode } from '@ghasi/domain-primitives/currencies';
import { type Id, idToUuid } from '@ghasi/domain-primitives/ids';
import type { LocalDate } from '@ghasi/domain-primitives/local-date';
import { parseZone, type Zone } from '@ghasi/domain-primitives/zone';
import type { Localised } from '../model.ts';
import { houses, type tenantStatuses, tenants } from '../tables.ts';

type Tx = Ctx['tx'];
type Writing = Pick<Ctx, 'tx' | 'tenantId'>;

/** Tenants as they are known: their address and whether they sell. */
export type Tenant = { slug: string | null; status: (typeof tenantStatuses)[number] };

/** A house as it was heard of. Only what anybody may know: each of these is a column, and nothing else is. */
export type House = {
  propertyId: Id<'pro'>;
  name: Localised;
  city: Localised;
  country: string;
  position: { latitude: number; longitude: number } | null;
  currency: CurrencyCode;
  zone: string;
  amenities: readonly string[];
};

export async function findTenant(tx: Tx): Promise<Tenant | undefined> {
  const [found] = await tx.select({ slug: tenants.slug, status: tenants.status }).from(tenants);
  return found;
}

/** The tenant was opened; a suspension that was heard of earlier stays. */
export async function rememberSlug({ tx, tenantId }: Writing, slug: string): Promise<number> {
  return execute(
    tx,
    sql`insert into search_aggregation.tenants as known (tenant_id, slug, version)
        values (${tenantId}, ${slug}, 1)
        on conflict (tenant_id) do update
        set slug = excluded.slug
        where known.slug is null`,
  );
}

/** The tenant was suspended, unless something newer is known. */
export async function rememberSuspension({ tx, tenantId }: Writing, version: number): Promise<boolean> {
  const touched = await execute(
    tx,
    sql`insert into search_aggregation.tenants as known (tenant_id, status, version)
        values (${tenantId}, 'suspended', ${version})
        on conflict (tenant_id) do update
        set status = 'suspended',
            version = excluded.version
        where known.version < excluded.version`,
  );
  return touched === 1;
}

/** What tenant-service answers: its address may have changed, and it may sell again. */
export async function updateTenant({ tx }: Writing, now: Tenant): Promise<void> {
  await tx.update(tenants).set(now);
}

/** A house as it is known, with its zone and whether its people want it to be found. */
export async function findHouse(
  tx: Tx,
  propertyId: Id<'pro'>,
): Promise<(Omit<House, 'zone'> & { zone: Zone; wanted: boolean }) | undefined> {
  const [found] = await tx
    .select()
    .from(houses)
    .where(eq(houses.propertyId, idToUuid(propertyId)));
  if (found === undefined) return undefined;
  const { name, city, country, latitude, longitude, currency, zone, amenities, wanted } = found;
  const position = latitude === null || longitude === null ? null : { latitude, longitude };
  return {
    ...{ propertyId, name, city, country, position, currency, amenities, wanted },
    zone: parseZone(zone),
  };
}

/** The houses of the tenant. */
export async function listHouses(tx: Tx): Promise<string[]> {
  return (await tx.select({ id: houses.propertyId }).from(houses)).map(({ id }) => id);
}

/** A house joined the tenant; what it offers may have been heard of earlier. */
export async function rememberHouse(
  { tx, tenantId }: Writing,
  house: House,
  version: number,
): Promise<number> {
  const { propertyId, name, city, country, position, currency, zone, amenities } = house;
  const { rowCount } = await tx
    .insert(houses)
    .values({
      ...{ tenantId, propertyId: idToUuid(propertyId), name, city, country, zone },
      currency,
      amenities: [...amenities],
      amenitiesVersion: version,
      ...(position ?? {}),
    })
    .onConflictDoNothing();
  return rowCount ?? 0;
}

/** What a house is called now. */
export async function renameHouse({ tx }: Writing, propertyId: Id<'pro'>, name: Localised): Promise<void> {
  await tx
    .update(houses)
    .set({ name })
    .where(eq(houses.propertyId, idToUuid(propertyId)));
}

/** What a house offers, unless something newer is known; how many houses that changed. */
export async function changeAmenities(
  { tx }: Writing,
  {
    propertyId,
    amenities,
    version,
  }: { propertyId: Id<'pro'>; amenities: readonly string[]; version: number },
): Promise<number> {
  const { rowCount } = await tx
    .update(houses)
    .set({ amenities: [...amenities], amenitiesVersion: version })
    .where(and(eq(houses.propertyId, idToUuid(propertyId)), lt(houses.amenitiesVersion, version)));
  return rowCount ?? 0;
}

/** Whether the house's people want it to be found; how many houses that changed. */
export async function setWanted(tx: Tx, propertyId: Id<'pro'>, wanted: boolean): Promise<number> {
  const { rowCount } = await tx
    .update(houses)
    .set({ wanted })
    .where(eq(houses.propertyId, idToUuid(propertyId)));
  return rowCount ?? 0;
}

/** A room type as it was heard of. */
export type HeardType = {
  roomTypeId: Id<'rty'>;
  propertyId: Id<'pro'>;
  name: Localised;
  maxAdults: number;
  maxChildren: number;
  maxGuests: number;
  amenities: readonly string[];
  coverPhotoId: Id<'fil'> | null;
};

/** What a room type offers, unless something newer is known. */
export async function rememberRoomType(
  { tx, tenantId }: Writing,
  type: HeardType,
  version: number,
): Promise<number> {
  const { roomTypeId, propertyId, name, maxAdults, maxChildren, maxGuests, amenities, coverPhotoId } = type;
  return execute(
    tx,
    sql`insert into search_aggregation.room_types as known
          (tenant_id, room_type_id, property_id, name, max_adults, max_children, max_guests, amenities, cover_photo_id,
           version)
        values (${tenantId}, ${idToUuid(roomTypeId)}, ${idToUuid(propertyId)}, ${JSON.stringify(name)}::jsonb,
                ${maxAdults}, ${maxChildren}, ${maxGuests}, ${sql.param(amenities)}::text[],
                ${coverPhotoId === null ? null : idToUuid(coverPhotoId)}::uuid, ${version})
        on conflict (tenant_id, room_type_id) do update
        set name = excluded.name,
            max_adults = excluded.max_adults,
            max_children = excluded.max_children,
            max_guests = excluded.max_guests,
            amenities = excluded.amenities,
            cover_photo_id = excluded.cover_photo_id,
            version = excluded.version
        where known.version < excluded.version`,
  );
}

/** A room joined or left a type; whichever is heard of first, both hold. */
export async function rememberRoom(
  { tx, tenantId }: Writing,
  room: {
    roomId: Id<'rom'>;
    propertyId: Id<'pro'>;
    roomTypeId: Id<'rty'>;
    sellableFrom?: LocalDate;
    closedFrom?: LocalDate;
  },
): Promise<void> {
  const { roomId, propertyId, roomTypeId, sellableFrom = null, closedFrom = null } = room;
  await execute(
    tx,
    sql`insert into search_aggregation.rooms as known
          (tenant_id, room_id, property_id, room_type_id, sellable_from, closed_from)
        values (${tenantId}, ${idToUuid(roomId)}, ${idToUuid(propertyId)}, ${idToUuid(roomTypeId)}, ${sellableFrom},
                ${closedFrom})
        on conflict (tenant_id, room_id) do update
        set sellable_from = coalesce(known.sellable_from, excluded.sellable_from),
            closed_from = coalesce(known.closed_from, excluded.closed_from)`,
  );
}
