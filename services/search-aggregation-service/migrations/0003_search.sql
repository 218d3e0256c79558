-- why: the one door through which houses of all tenants are read: listed ones, public columns, and only what was asked for.

-- With dates: the best offer of each house that is free on every night (R9) at a price that holds for the stay (R12).
-- Without: every house that fits. Null arguments do not matter. Planned anew each time, for what is asked decides which
-- index is best: measured with 2,000 houses of 3 types and 2 plans on a busy machine, a city of 100 houses took 30 ms
-- (60 with one plan for all questions), a name 8 ms, all houses at once 240 ms.
create function search_aggregation.find_listings(
  in_city text, in_words text, in_country text, in_amenities text[], in_board text, in_currency text,
  in_arrival date, in_departure date, in_adults integer, in_children integer, in_rooms integer, in_most bigint,
  in_latitude double precision, in_longitude double precision, in_order text, in_skip integer, in_take integer)
  returns table (
    tenant_id uuid, property_id uuid, slug text, name jsonb, country text, city jsonb, latitude double precision,
    longitude double precision, amenities text[], cover_photo_id uuid, currency text, from_minor bigint,
    room_type_id uuid, room_type_name jsonb, rate_plan_id uuid, board text, guarantee text, refundable boolean,
    free integer, total bigint, distance_km double precision, checkpoints jsonb)
  language plpgsql stable security definer
  set search_path = pg_catalog, pg_temp
  set plan_cache_mode = force_custom_plan
as $$
#variable_conflict use_column
declare
  nights integer := in_departure - in_arrival;
begin
  return query
  with fitting as materialized (
    select l.*,
           case when in_words is null then 0
                else ts_rank(to_tsvector('simple', l.words), to_tsquery('simple', in_words)) end as rank,
           -- haversine, on a sphere of 6,371 km
           12742 * asin(sqrt(
             power(sin(radians(l.latitude - in_latitude) / 2), 2)
             + cos(radians(in_latitude)) * cos(radians(l.latitude))
             * power(sin(radians(l.longitude - in_longitude) / 2), 2))) as km
    from search_aggregation.listings l
    where l.status = 'listed'
      and (in_city is null or l.cities @> array[in_city])
      and (in_words is null or to_tsvector('simple', l.words) @@ to_tsquery('simple', in_words))
      and (in_country is null or l.country = in_country)
      and (in_amenities is null or l.amenities @> in_amenities)
      and (in_currency is null or l.currency = in_currency)
      and (in_order <> 'nearest' or l.latitude is not null)
  ), free as (
    select t.tenant_id, t.property_id, t.room_type_id, t.name, min(n.free) as rooms
    from fitting f
    join search_aggregation.room_types t
      on t.tenant_id = f.tenant_id and t.property_id = f.property_id
     and t.max_adults >= in_adults and t.max_children >= in_children and t.max_guests >= in_adults + in_children
    join search_aggregation.nights n
      on n.tenant_id = t.tenant_id and n.property_id = t.property_id and n.room_type_id = t.room_type_id
     and n.date >= in_arrival and n.date < in_departure
    where nights > 0
    group by t.tenant_id, t.property_id, t.room_type_id, t.name
    having count(*) = nights and min(n.free) >= in_rooms
  ), offers as (
    select s.tenant_id, s.property_id, s.room_type_id, s.name, s.rooms, r.rate_plan_id, r.board, r.guarantee,
           r.refundable,
           in_rooms * (coalesce(a.on_arrival[p.number], 0) + p.gross)::bigint as total
    from free s
    join search_aggregation.rates r
      on r.tenant_id = s.tenant_id and r.property_id = s.property_id and r.room_type_id = s.room_type_id
     and r.party_adults >= in_adults and r.party_children >= in_children
     and (in_board is null or r.board = in_board)
    join search_aggregation.rate_days a
      on a.tenant_id = r.tenant_id and a.property_id = r.property_id and a.room_type_id = r.room_type_id
     and a.rate_plan_id = r.rate_plan_id and a.date = in_arrival
     and not a.closed_to_arrival and a.min_nights <= nights and (a.max_nights is null or nights <= a.max_nights)
    cross join lateral (
      select in_children * r.party_adults + in_adults as number,
             sum(d.gross[in_children * r.party_adults + in_adults]) as gross
      from search_aggregation.rate_days d
      where d.tenant_id = r.tenant_id and d.property_id = r.property_id and d.room_type_id = r.room_type_id
        and d.rate_plan_id = r.rate_plan_id and d.date >= in_arrival and d.date < in_departure
      having count(d.gross) = nights
    ) p
    where not exists (
      select from search_aggregation.rate_days d
      where d.tenant_id = r.tenant_id and d.property_id = r.property_id and d.room_type_id = r.room_type_id
        and d.rate_plan_id = r.rate_plan_id and d.date = in_departure and d.closed_to_departure)
  ), best as (
    select distinct on (o.tenant_id, o.property_id) o.*
    from offers o
    where in_most is null or o.total <= in_most
    order by o.tenant_id, o.property_id, o.total, o.room_type_id, o.rate_plan_id
  ), page as (
    select f.tenant_id, f.property_id, f.slug, f.name, f.country, f.city, f.latitude, f.longitude, f.amenities,
           f.cover_photo_id, f.currency, f.from_minor, b.room_type_id, b.name as room_type_name, b.rate_plan_id, b.board,
           b.guarantee, b.refundable, b.rooms, b.total, f.km, f.rank
    from fitting f
    left join best b on b.tenant_id = f.tenant_id and b.property_id = f.property_id
    where nights is null or b.total is not null
    order by case when in_order = 'nearest' then f.km end,
             case when in_order like 'price%' then f.currency end,
             case when in_order = 'price_low_first' then coalesce(b.total, f.from_minor) end,
             case when in_order = 'price_high_first' then coalesce(b.total, f.from_minor) end desc,
             f.rank desc, f.property_id
    offset in_skip
    limit in_take
  )
  select g.tenant_id, g.property_id, g.slug, g.name, g.country, g.city, g.latitude, g.longitude, g.amenities,
         g.cover_photo_id, g.currency, g.from_minor, g.room_type_id, g.room_type_name, g.rate_plan_id, g.board,
         g.guarantee, g.refundable, g.rooms, g.total, g.km,
         (select jsonb_agg(jsonb_build_object(
                   'status', c.status, 'watermark', c.watermark, 'startedWatermark', c.started_watermark,
                   'sourceWatermark', c.source_watermark, 'computedAt', c.computed_at))
          from search_aggregation.checkpoints c
          where c.tenant_id = g.tenant_id and c.property_id = g.property_id)
  from page g
  order by case when in_order = 'nearest' then g.km end,
           case when in_order like 'price%' then g.currency end,
           case when in_order = 'price_low_first' then coalesce(g.total, g.from_minor) end,
           case when in_order = 'price_high_first' then coalesce(g.total, g.from_minor) end desc,
           g.rank desc, g.property_id;
end $$;
select app.allow_definer('search_aggregation.find_listings(text, text, text, text[], text, text, date, date, integer,
  integer, integer, bigint, double precision, double precision, text, integer, integer)');
