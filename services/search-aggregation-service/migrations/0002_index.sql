-- why: houses of all tenants are found by place, name, nights and price; nothing in here could tell who sleeps in them (XT-05).

-- What is known of a tenant: its address, and whether it sells.
create table search_aggregation.tenants (
  tenant_id uuid not null,
  slug      text, -- null until its creation was heard of
  status    text not null default 'active',
  version   bigint not null default 0,
  constraint tenants_pk primary key (tenant_id),
  constraint tenants_status check (status in ('active', 'suspended', 'closed'))
);

create table search_aggregation.houses (
  tenant_id         uuid not null,
  property_id       uuid not null,
  name              jsonb not null,
  city              jsonb not null,
  country           text not null,
  latitude          double precision,
  longitude         double precision,
  currency          text not null,
  zone              text not null,
  amenities         text[] not null,
  amenities_version bigint not null,
  wanted            boolean not null default true, -- false: its people do not want it to be found
  constraint houses_pk primary key (tenant_id, property_id),
  constraint houses_on_the_map check ((latitude is null) = (longitude is null))
);

create table search_aggregation.room_types (
  tenant_id      uuid not null,
  room_type_id   uuid not null,
  property_id    uuid not null,
  name           jsonb not null,
  max_adults     smallint not null,
  max_children   smallint not null,
  max_guests     smallint not null,
  amenities      text[] not null,
  cover_photo_id uuid,
  version        bigint not null,
  constraint room_types_pk primary key (tenant_id, room_type_id)
);
create index room_types_of_property on search_aggregation.room_types (tenant_id, property_id);

create table search_aggregation.rooms (
  tenant_id     uuid not null,
  room_id       uuid not null,
  property_id   uuid not null,
  room_type_id  uuid not null,
  sellable_from date, -- null until it was heard of
  closed_from   date,
  constraint rooms_pk primary key (tenant_id, room_id)
);
create index rooms_of_property on search_aggregation.rooms (tenant_id, property_id);

-- How many rooms of a type can be sold on a night; a stop-sell is none.
create table search_aggregation.nights (
  tenant_id    uuid not null,
  property_id  uuid not null,
  room_type_id uuid not null,
  date         date not null,
  free         integer not null,
  constraint nights_pk primary key (tenant_id, property_id, room_type_id, date),
  constraint nights_free check (free >= 0)
);

-- A room type on a plan, and for how many adults and children it has prices.
create table search_aggregation.rates (
  tenant_id      uuid not null,
  property_id    uuid not null,
  room_type_id   uuid not null,
  rate_plan_id   uuid not null,
  board          text not null,
  guarantee      text not null,
  refundable     boolean not null,
  party_adults   smallint not null,
  party_children smallint not null,
  constraint rates_pk primary key (tenant_id, property_id, room_type_id, rate_plan_id)
);

-- What a night costs. The price of a adults with c children is number c * party_adults + a.
create table search_aggregation.rate_days (
  tenant_id           uuid not null,
  property_id         uuid not null,
  room_type_id        uuid not null,
  rate_plan_id        uuid not null,
  date                date not null,
  gross               bigint[], -- null: not sold
  on_arrival          bigint[] not null,
  min_nights          integer not null,
  max_nights          integer,
  closed_to_arrival   boolean not null,
  closed_to_departure boolean not null,
  constraint rate_days_pk primary key (tenant_id, property_id, room_type_id, rate_plan_id, date)
);

-- How far each part of a listing is behind what was heard (PROJ-02..10). `watermark` counts what was heard.
create table search_aggregation.checkpoints (
  tenant_id         uuid not null,
  property_id       uuid not null,
  handler           text not null,
  watermark         bigint not null,
  started_watermark bigint not null default 0,
  source_watermark  bigint not null default 0,
  status            text not null,
  error             text,
  marked_at         timestamptz not null,
  computed_at       timestamptz,
  constraint checkpoints_pk primary key (tenant_id, property_id, handler),
  constraint checkpoints_handler check (handler in ('facts', 'availability', 'prices')),
  constraint checkpoints_status check (status in ('PENDING', 'COMPLETED', 'FAILED')),
  constraint checkpoints_order check (source_watermark <= started_watermark and started_watermark <= watermark)
);
create index checkpoints_behind on search_aggregation.checkpoints (marked_at) where status <> 'COMPLETED';

-- What a search shows of a house. Every column is public; a new one is a decision about privacy.
create table search_aggregation.listings (
  tenant_id      uuid not null,
  property_id    uuid not null,
  version        bigint not null,
  status         text not null,
  reason         text,
  content_hash   text,
  slug           text not null,
  name           jsonb not null,
  country        text not null,
  city           jsonb not null,
  latitude       double precision,
  longitude      double precision,
  amenities      text[] not null,
  cover_photo_id uuid,
  currency       text not null,
  from_minor     bigint,
  cities         text[] not null,
  words          text not null,
  indexed_at     timestamptz not null,
  constraint listings_pk primary key (tenant_id, property_id),
  constraint listings_status check (status in ('listed', 'gone')),
  constraint listings_reason check ((status = 'gone') = (reason is not null))
);
create index listings_by_city on search_aggregation.listings using gin (cities) where status = 'listed';
create index listings_by_words on search_aggregation.listings using gin (to_tsvector('simple', words))
  where status = 'listed';

select app.protect('search_aggregation.tenants');
select app.protect('search_aggregation.houses', definer => true);
select app.protect('search_aggregation.room_types', definer => true);
select app.protect('search_aggregation.rooms');
select app.protect('search_aggregation.nights', definer => true);
select app.protect('search_aggregation.rates', definer => true);
select app.protect('search_aggregation.rate_days', definer => true);
select app.protect('search_aggregation.checkpoints', definer => true);
select app.protect('search_aggregation.listings', definer => true);
select app.add_idempotency('search_aggregation');
select jobs.admit('search_aggregation');

-- For jobs that go round all tenants. Tenant ids and nothing else.
create function search_aggregation.tenants_with_houses() returns setof uuid
  language sql stable security definer
  set search_path = pg_catalog, pg_temp
as $$
  select distinct tenant_id from search_aggregation.houses
$$;
select app.allow_definer('search_aggregation.tenants_with_houses()');

create function search_aggregation.tenants_behind(marked_before timestamptz) returns setof uuid
  language sql stable security definer
  set search_path = pg_catalog, pg_temp
as $$
  select distinct tenant_id from search_aggregation.checkpoints
  where status <> 'COMPLETED' and marked_at < marked_before
$$;
select app.allow_definer('search_aggregation.tenants_behind(timestamptz)');
