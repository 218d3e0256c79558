import { sql } from '@ghasi/db/drizzle';
import { execute, rows } from '@ghasi/db/sql';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { type Id, idFromUuid, idToUuid } from '@ghasi/domain-primitives/ids';
import type { LocalDate } from '@ghasi/domain-primitives/local-date';
import type { ListedType, Localised } from '../model.ts';

type Writing = Pick<Ctx, 'tx' | 'tenantId'>;

/** A night of a type. */
export type Night = { roomTypeId: Id<'rty'>; date: LocalDate; free: number };

/** A type on a plan with what its nights cost. */
export type Rate = {
  roomTypeId: Id<'rty'>;
  ratePlanId: Id<'rpl'>;
  board: string;
  guarantee: string;
  refundable: boolean;
  parties: { adults: number; children: number };
  days: readonly {
    date: string;
    gross: readonly string[] | null;
    onArrival: readonly string[];
    minNights: number;
    maxNights: number | null;
    closedToArrival: boolean;
    closedToDeparture: boolean;
  }[];
};

/**
 * Replaces the nights of a house; rows that are the same are not written, nor locked. Both comparisons are made by hashing
 * whatever the planner believes of a new table: as joins they were nested loops, 600 ms for a house of 1,400 nights.
 */
export async function writeNights(
  { tx, tenantId }: Writing,
  propertyId: Id<'pro'>,
  nights: readonly Night[],
): Promise<void> {
  const of = sql`${tenantId}::uuid as tenant_id, ${idToUuid(propertyId)}::uuid as property_id`;
  await execute(
    tx,
    sql`with now as (
          select ${of}, n.*
          from unnest(${sql.param(nights.map(({ roomTypeId }) => idToUuid(roomTypeId)))}::uuid[],
                      ${sql.param(nights.map(({ date }) => date))}::date[],
                      ${sql.param(nights.map(({ free }) => free))}::int[]) n (room_type_id, date, free)
        ), gone as (
          delete from search_aggregation.nights known
          where known.tenant_id = ${tenantId}
            and known.property_id = ${idToUuid(propertyId)}
            and (known.room_type_id, known.date) not in (select n.room_type_id, n.date from now n)
        )
        insert into search_aggregation.nights as known (tenant_id, property_id, room_type_id, date, free)
        select n.tenant_id, n.property_id, n.room_type_id, n.date, n.free
        from now n
        except
        select known.tenant_id, known.property_id, known.room_type_id, known.date, known.free
        from search_aggregation.nights known
        where known.tenant_id = ${tenantId} and known.property_id = ${idToUuid(propertyId)}
        on conflict (tenant_id, property_id, room_type_id, date) do update
        set free = excluded.free`,
  );
}

/** Replaces what the nights of a house cost; rows that are the same are not written. */
export async function writeRates(
  { tx, tenantId }: Writing,
  propertyId: Id<'pro'>,
  found: readonly Rate[],
): Promise<void> {
  const key = sql`${tenantId}::uuid, ${idToUuid(propertyId)}::uuid`;
  const rate = (of: (one: Rate) => unknown) => sql.param(found.map(of));
  await execute(
    tx,
    sql`delete from search_aggregation.rates
        where tenant_id = ${tenantId} and property_id = ${idToUuid(propertyId)}`,
  );
  await execute(
    tx,
    sql`insert into search_aggregation.rates (tenant_id, property_id, room_type_id, rate_plan_id, board, guarantee,
                                              refundable, party_adults, party_children)
        select ${key}, r.*
        from unnest(${rate(one => idToUuid(one.roomTypeId))}::uuid[], ${rate(one => idToUuid(one.ratePlanId))}::uuid[],
                    ${rate(one => one.board)}::text[], ${rate(one => one.guarantee)}::text[],
                    ${rate(one => one.refundable)}::bool[], ${rate(one => one.parties.adults)}::smallint[],
                    ${rate(one => one.parties.children)}::smallint[]) r`,
  );
  await writeRateDays({ tx, tenantId }, propertyId, found);
}

async function writeRateDays(
  { tx, tenantId }: Writing,
  propertyId: Id<'pro'>,
  found: readonly Rate[],
): Promise<void> {
  const days = found.flatMap(rate => rate.days.map(day => ({ ...day, rate })));
  const column = (of: (one: (typeof days)[number]) => unknown) => sql.param(days.map(of));
  await execute(
    tx,
    sql`with now as (
          select ${tenantId}::uuid as tenant_id, ${idToUuid(propertyId)}::uuid as property_id, d.room_type_id,
                 d.rate_plan_id, d.date, d.gross::bigint[] as gross, d.on_arrival::bigint[] as on_arrival, d.min_nights,
                 d.max_nights, d.closed_to_arrival, d.closed_to_departure
          from unnest(${column(one => idToUuid(one.rate.roomTypeId))}::uuid[],
                      ${column(one => idToUuid(one.rate.ratePlanId))}::uuid[],
                      ${column(one => one.date)}::date[],
                      ${column(one => one.gross && arrayText(one.gross))}::text[],
                      ${column(one => arrayText(one.onArrival))}::text[],
                      ${column(one => one.minNights)}::int[],
                      ${column(one => one.maxNights)}::int[],
                      ${column(one => one.closedToArrival)}::bool[],
                      ${column(one => one.closedToDeparture)}::bool[])
            d (room_type_id, rate_plan_id, date, gross, on_arrival, min_nights, max_nights, closed_to_arrival,
               closed_to_departure)
        ), gone as (
          delete from search_aggregation.rate_days known
          where known.tenant_id = ${tenantId}
            and known.property_id = ${idToUuid(propertyId)}
            and (known.room_type_id, known.rate_plan_id, known.date) not in (
              select n.room_type_id, n.rate_plan_id, n.date from now n)
        )
        insert into search_aggregation.rate_days as known
          (tenant_id, property_id, room_type_id, rate_plan_id, date, gross, on_arrival, min_nights, max_nights,
           closed_to_arrival, closed_to_departure)
        select * from now
        except
        select known.tenant_id, known.property_id, known.room_type_id, known.rate_plan_id, known.date, known.gross,
               known.on_arrival, known.min_nights, known.max_nights, known.closed_to_arrival, known.closed_to_departure
        from search_aggregation.rate_days known
        where known.tenant_id = ${tenantId} and known.property_id = ${idToUuid(propertyId)}
        on conflict (tenant_id, property_id, room_type_id, rate_plan_id, date) do update
        set gross = excluded.gross,
            on_arrival = excluded.on_arrival,
            min_nights = excluded.min_nights,
            max_nights = excluded.max_nights,
            closed_to_arrival = excluded.closed_to_arrival,
            closed_to_departure = excluded.closed_to_departure`,
  );
}

/** An array in an array cannot be unnested by rows, so it travels as PostgreSQL writes it; its members are figures. */
function arrayText(amounts: readonly string[]): string {
  return `{${amounts.map(amount => BigInt(amount)).join(',')}}`;
}

type TypeRow = {
  id: string;
  name: Localised;
  maxGuests: number;
  coverPhotoId: string | null;
  rooms: number;
  nights: { date: LocalDate; free: number; from: string | null }[] | null;
};

/** The types of a house with their nights of a window, each with its lowest price for one person. */
export async function readTypes(
  { tx, tenantId }: Writing,
  propertyId: Id<'pro'>,
  { from, until }: { from: LocalDate; until: LocalDate },
): Promise<ListedType[]> {
  const found = await rows<TypeRow>(
    tx,
    // One pass over nights and prices together: a join would be planned by statistics that a new house does not have.
    sql`with days as (
          select room_type_id, date, free, null::bigint as minor
          from search_aggregation.nights
          where tenant_id = ${tenantId} and property_id = ${idToUuid(propertyId)} and date >= ${from} and date < ${until}
          union all
          select room_type_id, date, null, gross[1]
          from search_aggregation.rate_days
          where tenant_id = ${tenantId} and property_id = ${idToUuid(propertyId)} and date >= ${from} and date < ${until}
        ), by_day as (
          select room_type_id, date, max(free) as free, min(minor) as minor
          from days
          group by room_type_id, date
          having count(free) > 0
        ), by_type as (
          select room_type_id,
                 jsonb_agg(jsonb_build_object('date', date, 'free', free, 'from', minor::text) order by date) as nights
          from by_day
          group by room_type_id
        )
        select t.room_type_id as id, t.name, t.max_guests as "maxGuests", t.cover_photo_id as "coverPhotoId",
               (select count(*)::int
                from search_aggregation.rooms r
                where r.tenant_id = t.tenant_id and r.property_id = t.property_id and r.room_type_id = t.room_type_id
                  and r.sellable_from is not null
                  and (r.closed_from is null or r.closed_from > greatest(${from}::date, r.sellable_from))) as rooms,
               b.nights
        from search_aggregation.room_types t
        left join by_type b on b.room_type_id = t.room_type_id
        where t.tenant_id = ${tenantId}
          and t.property_id = ${idToUuid(propertyId)}
        order by t.room_type_id`,
  );
  return found.map(({ id, coverPhotoId, nights, ...type }) => ({
    ...type,
    roomTypeId: idFromUuid('rty', id),
    coverPhotoId: coverPhotoId === null ? null : idFromUuid('fil', coverPhotoId),
    nights: (nights ?? []).map(({ from: lowest, ...night }) => ({
      ...night,
      from: lowest === null ? null : BigInt(lowest),
    })),
  }));
}
