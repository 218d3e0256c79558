-- why: numbers by day that are computed from what was heard, how far each handler has come, and what was told of them.

-- How far what was heard reaches, and how far each handler has come (PROJ-02, PROJ-06). A scope is a house.

create table analytics.watermarks (
  tenant_id uuid not null,
  scope_id  uuid not null,
  value     bigint not null,
  raised_at timestamptz not null,
  constraint watermarks_pk primary key (tenant_id, scope_id)
);

-- Days to be computed anew, until every handler has done it. A set: what changes once more gets a new id. Ids are in the order of
-- commit, because whoever writes holds the tenant's lock until then.
create table analytics.changes (
  tenant_id  uuid not null,
  id         bigint generated always as identity,
  scope_id   uuid not null,
  topic      text not null,
  subject    text not null, -- what it was that changed
  from_date  date,        -- null: since ever
  until_date date,        -- null: for ever
  at         timestamptz, -- instead of days: the hotel day of this moment
  constraint changes_pk primary key (tenant_id, id),
  constraint changes_once unique nulls not distinct (tenant_id, scope_id, topic, subject, from_date, until_date, at)
);
create index changes_by_scope on analytics.changes (tenant_id, scope_id, id);

create table analytics.checkpoints (
  tenant_id        uuid not null,
  scope_id         uuid not null,
  handler          text not null,
  handler_version  integer not null,
  status           text not null,
  source_watermark bigint not null default 0,
  position         bigint not null default 0, -- the last change that is dealt with
  failures         integer not null default 0,
  error            text,
  computed_at      timestamptz, -- when it last completed
  updated_at       timestamptz not null default now(),
  constraint checkpoints_pk primary key (tenant_id, scope_id, handler),
  constraint checkpoints_status check (status in ('PENDING', 'COMPLETED', 'FAILED'))
);

-- The numbers, each row with the watermark it was computed against (PROJ-03).

create table analytics.room_days (
  tenant_id        uuid not null,
  property_id      uuid not null,
  date             date not null,
  room_type_id     uuid not null,
  rooms            integer not null,
  out_of_order     integer not null, -- of the rooms; what is left is the base of occupancy (R11)
  sold             integer not null,
  arrivals         integer not null,
  departures       integer not null,
  source_watermark bigint not null,
  constraint room_days_pk primary key (tenant_id, property_id, date, room_type_id)
);

create table analytics.revenue_days (
  tenant_id        uuid not null,
  property_id      uuid not null,
  date             date not null,
  room_type_id     uuid not null,
  currency         text not null,
  rooms            integer not null, -- sold in this currency
  net              bigint not null,
  gross            bigint not null,
  source_watermark bigint not null,
  constraint revenue_days_pk primary key (tenant_id, property_id, date, room_type_id, currency)
);

create table analytics.charge_days (
  tenant_id        uuid not null,
  property_id      uuid not null,
  date             date not null,
  currency         text not null,
  room_net         bigint not null,
  room_gross       bigint not null,
  other_net        bigint not null,
  other_gross      bigint not null,
  source_watermark bigint not null,
  constraint charge_days_pk primary key (tenant_id, property_id, date, currency)
);

create table analytics.demand_days (
  tenant_id          uuid not null,
  property_id        uuid not null,
  date               date not null,
  bookings           integer not null, -- made on this hotel day
  cancellations      integer not null,
  no_shows           integer not null,
  arriving           integer not null, -- bookings whose stay begins on this day, whatever became of them
  arriving_cancelled integer not null,
  arriving_no_show   integer not null,
  stays              integer not null, -- rooms of those that came or are expected
  stay_nights        integer not null,
  lead_days          integer not null, -- days between booking and arrival, over those bookings
  source_watermark   bigint not null,
  constraint demand_days_pk primary key (tenant_id, property_id, date)
);

create table analytics.mix_days (
  tenant_id        uuid not null,
  property_id      uuid not null,
  date             date not null,
  channel          text not null,
  rail             text not null,
  currency         text not null,
  rooms            integer not null,
  net              bigint not null,
  gross            bigint not null,
  source_watermark bigint not null,
  constraint mix_days_pk primary key (tenant_id, property_id, date, channel, rail, currency)
);

-- What each hotel day changed of what is on the books for a night: summed up to a day it is what was known then.
create table analytics.pickup_days (
  tenant_id        uuid not null,
  property_id      uuid not null,
  date             date not null,
  as_of            date not null,
  room_type_id     uuid not null,
  currency         text not null,
  rooms            integer not null,
  net              bigint not null,
  gross            bigint not null,
  source_watermark bigint not null,
  constraint pickup_days_pk primary key (tenant_id, property_id, date, as_of, room_type_id, currency)
);

create table analytics.operation_days (
  tenant_id        uuid not null,
  property_id      uuid not null,
  date             date not null,
  tasks_completed  integer not null,
  source_watermark bigint not null,
  constraint operation_days_pk primary key (tenant_id, property_id, date)
);

-- What was told of them (EVT-76).
create table analytics.snapshots (
  tenant_id        uuid not null,
  id               uuid not null,
  kind             text not null,
  property_id      uuid not null,
  from_date        date not null,
  until_date       date not null,
  source_watermark bigint not null,
  metrics          jsonb not null,
  version          integer not null default 1,
  computed_at      timestamptz not null,
  constraint snapshots_pk primary key (tenant_id, id),
  constraint snapshots_kind check (kind in ('booking_indexed', 'occupancy', 'revenue', 'operations'))
);

select app.protect('analytics.watermarks', definer => true);
select app.protect('analytics.changes');
select app.protect('analytics.checkpoints', definer => true);
select app.protect('analytics.room_days');
select app.protect('analytics.revenue_days');
select app.protect('analytics.charge_days');
select app.protect('analytics.demand_days');
select app.protect('analytics.mix_days');
select app.protect('analytics.pickup_days');
select app.protect('analytics.operation_days');
select app.protect('analytics.snapshots');
select jobs.admit('analytics');

-- For jobs that go round all tenants. Tenant ids and nothing else.
create function analytics.tenants_behind(handlers text[], versions integer[], at timestamptz) returns setof uuid
  language sql stable security definer
  set search_path = pg_catalog, pg_temp
as $$
  select distinct w.tenant_id
  from analytics.watermarks w
  cross join unnest(handlers, versions) as h (name, version)
  left join analytics.checkpoints c on c.tenant_id = w.tenant_id and c.scope_id = w.scope_id and c.handler = h.name
  where c.handler is null
     or ((c.status <> 'COMPLETED' or c.source_watermark < w.value or c.handler_version <> h.version)
         -- one that fails and fails is tried four times an hour: the others have long gone on
         and (c.failures < 4 or c.updated_at < at - interval '15 minutes'))
$$;
select app.allow_definer('analytics.tenants_behind(text[], integer[], timestamptz)');

create function analytics.tenants_with_numbers() returns setof uuid
  language sql stable security definer
  set search_path = pg_catalog, pg_temp
as $$
  select distinct tenant_id from analytics.watermarks
$$;
select app.allow_definer('analytics.tenants_with_numbers()');
