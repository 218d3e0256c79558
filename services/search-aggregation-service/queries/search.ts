import { sql } from '@ghasi/db/drizzle';
import { rows } from '@ghasi/db/sql';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import type { CurrencyCode } from '@ghasi/domain-primitives/currencies';
import { idFromUuid } from '@ghasi/domain-primitives/ids';
import type { FoundListing, SearchRequest } from '../contract/questions.ts';
import { applyWatermarkFreshness, type Checkpoint, type Localised } from '../model.ts';
import { folded, wordQuery } from '../search-text.ts';

type Row = {
  property_id: string;
  slug: string;
  name: Localised;
  country: string;
  city: Localised;
  latitude: number | null;
  longitude: number | null;
  amenities: string[];
  cover_photo_id: string | null;
  currency: CurrencyCode;
  from_minor: bigint | null;
  room_type_id: string | null;
  room_type_name: Localised | null;
  rate_plan_id: string | null;
  board: string | null;
  guarantee: string | null;
  refundable: boolean | null;
  free: number | null;
  total: bigint | null;
  distance_km: number | null;
  checkpoints: Checkpoint[] | null;
};

/** Words that were asked for and fold to nothing, as `?` does, are in no name. */
const NOTHING = 'nothing & !nothing';

/**
 * Looks through the listings of all tenants, by the one function that may. The transaction needs no tenant, and could not
 * read a listing without that function.
 */
export async function findListings(tx: Ctx['tx'], asked: SearchRequest): Promise<FoundListing[]> {
  const { city, text, country, amenities, board, currency, arrival, departure, near, order } = asked;
  const words = text === undefined ? null : (wordQuery(text) ?? NOTHING);
  const found = await rows<Row>(
    tx,
    sql`select *
        from search_aggregation.find_listings(
          ${city === undefined ? null : folded(city)}, ${words}, ${country ?? null},
          ${sql.param(amenities.length === 0 ? null : amenities)}::text[], ${board ?? null}, ${currency ?? null},
          ${arrival ?? null}::date, ${departure ?? null}::date, ${asked.adults}::int, ${asked.children}::int,
          ${asked.rooms}::int, ${asked.mostTotal ?? null}::bigint, ${near?.latitude ?? null}::float8,
          ${near?.longitude ?? null}::float8, ${order}, ${(asked.page - 1) * asked.perPage}::int,
          ${asked.perPage + 1}::int)`,
  );
  return found.map(fromRow);
}

function fromRow(row: Row): FoundListing {
  const { latitude, longitude, currency } = row;
  const price = (minor: bigint | null) => (minor === null ? null : { amount: minor.toString(), currency });
  return {
    propertyId: idFromUuid('pro', row.property_id),
    tenantSlug: row.slug,
    name: [...row.name],
    country: row.country,
    city: [...row.city],
    position: latitude === null || longitude === null ? null : { latitude, longitude },
    amenities: row.amenities,
    coverPhotoId: row.cover_photo_id === null ? null : idFromUuid('fil', row.cover_photo_id),
    from: price(row.from_minor),
    offer: offerOf(row, price(row.total)),
    distanceKm: row.distance_km,
    freshness: { ...freshnessOf(row.checkpoints ?? []) },
  };
}

function offerOf(row: Row, total: FoundListing['from']): FoundListing['offer'] {
  const { room_type_id: type, rate_plan_id: plan, room_type_name: name, board, guarantee, refundable } = row;
  if (total === null || type === null || plan === null || name === null) return null;
  if (board === null || guarantee === null || refundable === null) return null;
  return {
    roomTypeId: idFromUuid('rty', type),
    roomTypeName: [...name],
    ratePlanId: idFromUuid('rpl', plan),
    ...{ board, guarantee, refundable, total },
    free: row.free ?? 0,
  };
}

/** JSON of PostgreSQL writes moments in another way than ours. */
function freshnessOf(parts: readonly Checkpoint[]) {
  return applyWatermarkFreshness(
    parts.map(part => ({
      ...part,
      computedAt: part.computedAt === null ? null : new Date(part.computedAt).toISOString(),
    })),
  );
}
