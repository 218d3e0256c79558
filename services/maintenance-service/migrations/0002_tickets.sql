-- why: work orders with the days they take a room out, what was done about them, and those that come round by themselves.

-- Houses and rooms as property-service told of them; `version` is the newest that was acted on (X-088).
create table maintenance.houses (
  tenant_id     uuid not null,
  id            uuid not null,
  business_date date not null,
  currency      text, -- null: the day was heard of before the house
  version       integer not null,
  constraint houses_pk primary key (tenant_id, id),
  constraint houses_currency check (currency ~ '^[A-Z]{3}$')
);

create table maintenance.rooms (
  tenant_id    uuid not null,
  id           uuid not null,
  property_id  uuid not null,
  room_type_id uuid not null,
  number       text not null,
  closed_from  date, -- null: not archived
  version      integer not null,
  constraint rooms_pk primary key (tenant_id, id)
);
create index rooms_by_property on maintenance.rooms (tenant_id, property_id, number);

-- A block belongs to its ticket for good: its days never move, and more days are another ticket.
create table maintenance.tickets (
  tenant_id      uuid not null,
  id             uuid not null,
  property_id    uuid not null,
  room_id        uuid, -- a room or an area, one of them
  area           text,
  category       text not null,
  severity       text not null,
  title          text not null,
  description    text,
  status         text not null,
  block          text not null,
  block_from     date,
  block_until    date,
  photo_ids      uuid[] not null,
  reported_by    uuid, -- null: a schedule or a device
  reservation_id uuid,
  task_id        uuid,
  follows        uuid, -- the ticket this one goes on from
  plan_id        uuid, -- the plan that asked for it, due on that day
  due_on         date,
  assignee_id    uuid,
  opened_at      timestamptz not null,
  closed_at      timestamptz,
  closed_by      uuid,
  resolution     text,
  needs_cleaning boolean,
  parts          jsonb not null default '[]',
  labour_minutes integer not null default 0,
  labour_minor   bigint not null default 0,
  cost_minor     bigint not null default 0,
  currency       text not null,
  version        integer not null default 1,
  constraint tickets_pk primary key (tenant_id, id),
  constraint tickets_place check ((room_id is null) <> (area is null)),
  constraint tickets_area check (area in ('lobby', 'corridor', 'kitchen', 'bathroom', 'garden', 'roof', 'plant', 'other')),
  constraint tickets_category check (category in ('plumbing', 'electrical', 'heating_cooling', 'furniture', 'door_lock',
    'appliance', 'internet', 'structure', 'safety', 'other')),
  constraint tickets_severity check (severity in ('cosmetic', 'inconvenient', 'urgent', 'dangerous')),
  constraint tickets_title check (char_length(title) between 1 and 120),
  constraint tickets_description check (char_length(description) between 1 and 2000),
  constraint tickets_status check (status in ('open', 'assigned', 'in_progress', 'on_hold', 'done', 'cancelled')),
  constraint tickets_block check (block in ('none', 'out_of_service', 'out_of_order')),
  constraint tickets_block_days check (block_from < block_until),
  constraint tickets_blocks_a_room check ((block = 'none') = (block_from is null)
    and (block_from is null) = (block_until is null) and (block = 'none' or room_id is not null)),
  constraint tickets_resolution check (resolution in ('repaired', 'replaced', 'no_fault_found', 'duplicate',
    'will_not_repair')),
  constraint tickets_closed check ((status in ('done', 'cancelled')) = (resolution is not null)
    and (resolution is null) = (closed_at is null)),
  constraint tickets_costs check (labour_minutes >= 0 and labour_minor >= 0 and cost_minor >= labour_minor),
  constraint tickets_currency check (currency ~ '^[A-Z]{3}$')
);
create index tickets_by_property on maintenance.tickets (tenant_id, property_id, opened_at);
create index tickets_open on maintenance.tickets (tenant_id, property_id) where resolution is null;
create index tickets_blocking on maintenance.tickets (tenant_id, room_id) where resolution is null and block <> 'none';

-- Who did what with a ticket and why: one row per version.
create table maintenance.steps (
  tenant_id uuid not null,
  ticket_id uuid not null,
  version   integer not null,
  status    text not null,
  at        timestamptz not null,
  by        uuid, -- null: nobody, a schedule
  note      text,
  constraint steps_pk primary key (tenant_id, ticket_id, version),
  constraint steps_status check (status in ('open', 'assigned', 'in_progress', 'on_hold', 'done', 'cancelled')),
  constraint steps_note check (char_length(note) between 1 and 500)
);

-- Work that comes round: a ticket for its room or area, or one for every room, each so many days.
create table maintenance.plans (
  tenant_id   uuid not null,
  id          uuid not null,
  property_id uuid not null,
  room_id     uuid,
  area        text,
  every_room  boolean not null,
  category    text not null,
  severity    text not null,
  title       text not null,
  every_days  integer not null,
  next_due    date not null,
  ended       boolean not null default false,
  version     integer not null default 1,
  constraint plans_pk primary key (tenant_id, id),
  constraint plans_place check ((room_id is not null)::int + (area is not null)::int + every_room::int = 1),
  constraint plans_area check (area in ('lobby', 'corridor', 'kitchen', 'bathroom', 'garden', 'roof', 'plant', 'other')),
  constraint plans_category check (category in ('plumbing', 'electrical', 'heating_cooling', 'furniture', 'door_lock',
    'appliance', 'internet', 'structure', 'safety', 'other')),
  constraint plans_severity check (severity in ('cosmetic', 'inconvenient', 'urgent', 'dangerous')),
  constraint plans_title check (char_length(title) between 1 and 120),
  constraint plans_every_days check (every_days between 1 and 3660)
);
create index plans_due on maintenance.plans (next_due) where not ended;

select app.protect('maintenance.houses', definer => true);
select app.protect('maintenance.rooms');
select app.protect('maintenance.tickets');
select app.protect('maintenance.steps');
select app.append_only('maintenance.steps');
select app.protect('maintenance.plans', definer => true);
select app.add_idempotency('maintenance');
select jobs.admit('maintenance');

-- For the job that goes round all tenants: which ones have work due by their own hotel day. Tenant ids and nothing else.
create function maintenance.tenants_with_due_plans() returns setof uuid
  language sql stable security definer
  set search_path = pg_catalog, pg_temp
as $$
  select distinct p.tenant_id
  from maintenance.plans p
  join maintenance.houses h on h.tenant_id = p.tenant_id and h.id = p.property_id
  where not p.ended
    and p.next_due <= h.business_date
$$;
select app.allow_definer('maintenance.tenants_with_due_plans()');
