-- why: what was heard of houses, bookings, charges and work: the numbers are computed from it.

-- Every row is the same whatever order its events came in: registers that only one event writes, the highest
-- version where several do, and for bookings all samples, folded anew each time (ORD-14).

create table analytics.properties (
  tenant_id uuid not null,
  id        uuid not null,
  zone      text not null,
  currency  text not null,
  opened_on date not null,
  constraint properties_pk primary key (tenant_id, id)
);

-- R1: when each hotel day of a house began. A moment belongs to the day that had begun last.
create table analytics.business_days (
  tenant_id   uuid not null,
  property_id uuid not null,
  date        date not null,
  began_at    timestamptz not null,
  constraint business_days_pk primary key (tenant_id, property_id, date)
);
create index business_days_by_moment on analytics.business_days (tenant_id, property_id, began_at);

create table analytics.rooms (
  tenant_id     uuid not null,
  id            uuid not null,
  property_id   uuid not null,
  room_type_id  uuid not null,
  sellable_from date, -- null: heard of its end and not yet of its beginning
  closed_from   date, -- null: not archived
  constraint rooms_pk primary key (tenant_id, id)
);
create index rooms_by_property on analytics.rooms (tenant_id, property_id);

-- R11: the last word of housekeeping about a room on each hotel day it spoke of it.
create table analytics.room_statuses (
  tenant_id     uuid not null,
  room_id       uuid not null,
  business_date date not null,
  property_id   uuid not null,
  version       integer not null,
  out_from      date, -- out of order on these nights; null: not
  out_until     date,
  constraint room_statuses_pk primary key (tenant_id, room_id, business_date)
);

-- R11: repairs. An opening that takes a room out of order holds until its last night or the next closing.
create table analytics.tickets (
  tenant_id   uuid not null,
  id          uuid not null,
  version     integer not null,
  kind        text not null,
  property_id uuid not null,
  room_id     uuid, -- null: an area
  out_from    date,
  out_until   date,
  at          timestamptz not null,
  constraint tickets_pk primary key (tenant_id, id, version, kind),
  constraint tickets_kind check (kind in ('opened', 'closed'))
);
create index tickets_by_room on analytics.tickets (tenant_id, room_id);

create table analytics.charges (
  tenant_id     uuid not null,
  id            uuid not null,
  property_id   uuid not null,
  business_date date not null,
  kind          text not null,
  reverses      uuid, -- the line it takes back; its kind is what counts
  currency      text not null,
  net           bigint not null,
  gross         bigint not null,
  constraint charges_pk primary key (tenant_id, id),
  constraint charges_kind check (kind in ('room_night', 'date_change', 'consumption', 'fee', 'service', 'reversal'))
);
create index charges_by_day on analytics.charges (tenant_id, property_id, business_date);
create index charges_by_reversed on analytics.charges (tenant_id, reverses) where reverses is not null;

create table analytics.tasks (
  tenant_id     uuid not null,
  id            uuid not null,
  property_id   uuid not null,
  business_date date not null,
  outcome       text not null,
  constraint tasks_pk primary key (tenant_id, id)
);
create index tasks_by_day on analytics.tasks (tenant_id, property_id, business_date);

-- What happened to each booking, without a word about the guest. Version 0 is demo data: it gives way to every event.
create table analytics.booking_samples (
  tenant_id      uuid not null,
  reservation_id uuid not null,
  version        integer not null,
  kind           text not null,
  property_id    uuid not null,
  at             timestamptz not null,
  business_date  date, -- where the event says so; else the day that had begun at that moment
  data           jsonb not null,
  constraint booking_samples_pk primary key (tenant_id, reservation_id, version, kind),
  constraint booking_samples_kind check (kind in ('confirmed', 'repriced', 'dates_changed', 'checked_in', 'checked_out',
    'no_show', 'cancelled'))
);

-- The samples of a booking, folded: the small row, the nights it has now, and every change of them.
create table analytics.bookings (
  tenant_id    uuid not null,
  id           uuid not null,
  property_id  uuid not null,
  status       text not null,
  channel      text not null,
  rail         text not null,
  currency     text not null,
  arrival      date not null,
  departure    date not null,
  rooms        integer not null,
  room_nights  integer not null,
  net          bigint not null,
  gross        bigint not null,
  booked_at    timestamptz not null,
  cancelled_at timestamptz,
  no_show_on   date,
  version      integer not null,
  constraint bookings_pk primary key (tenant_id, id),
  constraint bookings_status check (status in ('confirmed', 'confirmed_cash_pending', 'checked_in', 'checked_out',
    'checked_out_balance_pending', 'no_show', 'cancelled'))
);
create index bookings_by_arrival on analytics.bookings (tenant_id, property_id, arrival);
create index bookings_by_booking on analytics.bookings (tenant_id, property_id, booked_at);
create index bookings_by_cancellation on analytics.bookings (tenant_id, property_id, cancelled_at) where cancelled_at is not null;
create index bookings_by_no_show on analytics.bookings (tenant_id, property_id, no_show_on) where no_show_on is not null;

create table analytics.nights (
  tenant_id      uuid not null,
  reservation_id uuid not null,
  booked_room_id uuid not null,
  date           date not null,
  property_id    uuid not null,
  room_type_id   uuid not null,
  currency       text not null,
  net            bigint not null,
  gross          bigint not null,
  constraint nights_pk primary key (tenant_id, reservation_id, booked_room_id, date)
);
create index nights_by_day on analytics.nights (tenant_id, property_id, date);

create table analytics.night_changes (
  tenant_id      uuid not null,
  reservation_id uuid not null,
  step           smallint not null, -- place of the sample that changed it
  booked_room_id uuid not null,
  date           date not null,
  property_id    uuid not null,
  room_type_id   uuid not null,
  currency       text not null,
  rooms          smallint not null, -- 1 taken, -1 given back, 0 another price
  net            bigint not null,
  gross          bigint not null,
  at             timestamptz not null,
  business_date  date,
  constraint night_changes_pk primary key (tenant_id, reservation_id, step, booked_room_id, date, room_type_id, currency)
);
create index night_changes_by_day on analytics.night_changes (tenant_id, property_id, date);

select app.protect('analytics.properties');
select app.protect('analytics.business_days');
select app.protect('analytics.rooms');
select app.protect('analytics.room_statuses');
select app.protect('analytics.tickets');
select app.protect('analytics.charges');
select app.protect('analytics.tasks');
select app.protect('analytics.booking_samples');
select app.protect('analytics.bookings');
select app.protect('analytics.nights');
select app.protect('analytics.night_changes');
