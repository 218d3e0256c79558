import { and, eq, inArray, sql } from '@ghasi/db/drizzle';
import { execute } from '@ghasi/db/sql';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { type Id, idFromUuid, idToUuid } from '@ghasi/domain-primitives/ids';
import { parseZone } from '@ghasi/domain-primitives/zone';
import type { Property, RoomType } from '../model/quote.ts';
import { properties, roomTypes } from '../tables.ts';

type Tx = Ctx['tx'];
type Writing = Pick<Ctx, 'tx' | 'tenantId'>;

/** A property as we know it. */
export async function findProperty(tx: Tx, id: Id<'pro'>): Promise<Property | undefined> {
  const [found] = await tx
    .select()
    .from(properties)
    .where(eq(properties.id, idToUuid(id)));
  if (found === undefined) return undefined;
  const { currency, checkInFrom } = found;
  return { id, currency, checkInFrom, zone: parseZone(found.zone) };
}

/** Keeps what a property is, unless something newer is known. */
export async function rememberProperty(ctx: Writing, property: Property, version: number): Promise<boolean> {
  const { id, zone, currency, checkInFrom } = property;
  const touched = await execute(
    ctx.tx,
    sql`insert into pricing.properties as known (tenant_id, id, zone, currency, check_in_from, version)
        values (${ctx.tenantId}, ${idToUuid(id)}, ${zone}, ${currency}, ${checkInFrom}, ${version})
        on conflict (tenant_id, id) do update
        set zone = excluded.zone,
            currency = excluded.currency,
            check_in_from = excluded.check_in_from,
            version = excluded.version
        where known.version < excluded.version`,
  );
  return touched === 1;
}

/** The room types of a property among these. */
export async function findRoomTypes(
  tx: Tx,
  propertyId: Id<'pro'>,
  ids: readonly Id<'rty'>[],
): Promise<Map<Id<'rty'>, RoomType>> {
  const found = await tx
    .select()
    .from(roomTypes)
    .where(
      and(eq(roomTypes.propertyId, idToUuid(propertyId)), inArray(roomTypes.id, [...ids].map(idToUuid))),
    );
  return new Map(
    found.map(({ id: uuid, maxAdults, maxChildren, maxGuests }) => {
      const id = idFromUuid('rty', uuid);
      return [id, { id, maxAdults, maxChildren, maxGuests }];
    }),
  );
}

/** Keeps how many a room type takes, unless something newer is known. */
export async function rememberRoomType(
  ctx: Writing,
  { id, maxAdults, maxChildren, maxGuests, propertyId }: RoomType & { propertyId: Id<'pro'> },
  version: number,
): Promise<boolean> {
  const touched = await execute(
    ctx.tx,
    sql`insert into pricing.room_types as known
          (tenant_id, id, property_id, max_adults, max_children, max_guests, version)
        values (${ctx.tenantId}, ${idToUuid(id)}, ${idToUuid(propertyId)}, ${maxAdults}, ${maxChildren},
                ${maxGuests}, ${version})
        on conflict (tenant_id, id) do update
        set property_id = excluded.property_id,
            max_adults = excluded.max_adults,
            max_children = excluded.max_children,
            max_guests = excluded.max_guests,
            version = excluded.version
        where known.version < excluded.version`,
  );
  return touched === 1;
}
