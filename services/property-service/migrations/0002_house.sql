-- why: properties with their hotel day, room types with their published specs, rooms, and the days that were closed.

create table property.properties (
  tenant_id       uuid not null,
  id              uuid not null,
  name            jsonb not null,
  country         text not null,
  city            jsonb not null,
  latitude        double precision,
  longitude       double precision,
  zone            text not null,
  currency        text not null,
  locales         text[] not null,
  check_in_from   text not null,
  check_out_until text not null,
  opened_on       date not null, -- the first hotel day
  business_date   date not null, -- moved by day close only (R1)
  amenities       text[] not null,
  house_rules     jsonb not null,
  version         integer not null default 1,
  created_at      timestamptz not null default now(),
  updated_at      timestamptz not null default now(),
  constraint properties_pk primary key (tenant_id, id),
  constraint properties_country check (country ~ '^[A-Z]{2}$'),
  constraint properties_position check ((latitude is null) = (longitude is null)),
  constraint properties_zone check (char_length(zone) between 1 and 64),
  constraint properties_currency check (currency ~ '^[A-Z]{3}$'),
  constraint properties_locales check (locales <@ array['en', 'ps', 'fa-AF']),
  constraint properties_check_in_from check (check_in_from ~ '^[0-2][0-9]:[0-5][0-9]$'),
  constraint properties_check_out_until check (check_out_until ~ '^[0-2][0-9]:[0-5][0-9]$'),
  constraint properties_days_forward check (business_date >= opened_on)
);

create table property.room_types (
  tenant_id    uuid not null,
  id           uuid not null,
  property_id  uuid not null,
  code         text not null,
  draft        jsonb not null,
  published    jsonb, -- null: never
  spec_version integer not null default 0,
  version      integer not null default 1,
  created_at   timestamptz not null default now(),
  updated_at   timestamptz not null default now(),
  constraint room_types_pk primary key (tenant_id, id),
  constraint room_types_code_once unique (tenant_id, property_id, code),
  constraint room_types_property foreign key (tenant_id, property_id) references property.properties (tenant_id, id),
  constraint room_types_published check ((published is null) = (spec_version = 0))
);

-- Every spec that was ever published: a booking is for the room as it was described when it was made.
create table property.room_type_specs (
  tenant_id    uuid not null,
  room_type_id uuid not null,
  spec_version integer not null,
  spec         jsonb not null,
  published_at timestamptz not null default now(),
  constraint room_type_specs_pk primary key (tenant_id, room_type_id, spec_version),
  constraint room_type_specs_version check (spec_version >= 1)
);

create table property.rooms (
  tenant_id      uuid not null,
  id             uuid not null,
  property_id    uuid not null,
  room_type_id   uuid not null,
  number         text not null,
  floor          text,
  accessible     boolean not null,
  sellable_from  date not null,
  status         text not null default 'active',
  closed_from    date,
  archive_reason text,
  version        integer not null default 1,
  created_at     timestamptz not null default now(),
  updated_at     timestamptz not null default now(),
  constraint rooms_pk primary key (tenant_id, id),
  constraint rooms_room_type foreign key (tenant_id, room_type_id) references property.room_types (tenant_id, id),
  constraint rooms_number check (char_length(number) between 1 and 16),
  constraint rooms_status check (status in ('active', 'archived')),
  constraint rooms_archive_reason check (archive_reason in ('closed', 'merged', 'converted', 'entered_by_mistake')),
  constraint rooms_archived_whole check (
    (status = 'archived') = (closed_from is not null) and (status = 'archived') = (archive_reason is not null))
);
-- The number on a door is free again when its room was archived.
create unique index rooms_number_once on property.rooms (tenant_id, property_id, number) where status = 'active';

create table property.day_closes (
  tenant_id     uuid not null,
  property_id   uuid not null,
  closed_date   date not null,
  business_date date not null,
  closed_by     uuid, -- null: no person
  closed_at     timestamptz not null default now(),
  resolved      jsonb not null,
  constraint day_closes_pk primary key (tenant_id, property_id, closed_date),
  constraint day_closes_next_day check (business_date = closed_date + 1)
);

select app.protect('property.properties');
select app.protect('property.room_types');
select app.protect('property.room_type_specs');
select app.append_only('property.room_type_specs');
select app.protect('property.rooms');
select app.protect('property.day_closes');
select app.append_only('property.day_closes');
select app.add_idempotency('property');

-- Old idempotency keys are removed by a job of this service.
select jobs.admit('property');
