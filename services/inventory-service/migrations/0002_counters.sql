-- why: the counters that rooms are sold from, who has which rooms, and what is off sale.

-- Newest version of another service's room, booking or ticket that was acted on: older ones change nothing (X-088).
-- Its row lock also puts the messages of one booking one after the other.
create table inventory.seen_versions (
  tenant_id    uuid not null,
  aggregate_id text not null,
  version      integer not null,
  constraint seen_versions_pk primary key (tenant_id, aggregate_id),
  constraint seen_versions_version check (version >= 1)
);

create table inventory.rooms (
  tenant_id     uuid not null,
  id            uuid not null,
  property_id   uuid not null,
  room_type_id  uuid not null,
  number        text not null,
  sellable_from date not null,
  closed_from   date, -- null: not archived
  constraint rooms_pk primary key (tenant_id, id)
);
create index rooms_by_type on inventory.rooms (tenant_id, room_type_id);

create table inventory.room_types (
  tenant_id      uuid not null,
  id             uuid not null,
  property_id    uuid not null,
  overbook_limit integer not null default 0, -- of nights that are counted later
  counted_until  date not null,              -- the first night without a counter
  constraint room_types_pk primary key (tenant_id, id),
  constraint room_types_overbook_limit check (overbook_limit between 0 and 1000)
);
create index room_types_by_horizon on inventory.room_types (counted_until);

-- R7: one row per room type and night. `rooms` is how many rooms of the type can be slept in. `capacity` is the same,
-- except while more are sold than that because a room was closed under its guests by somebody who does not ask us: then it
-- stays at what is sold, nothing more is sold, and it goes down with every release. No statement can sell beyond it.
create table inventory.nights (
  tenant_id      uuid not null,
  room_type_id   uuid not null,
  date           date not null,
  property_id    uuid not null,
  rooms          integer not null,
  capacity       integer not null,
  overbook_limit integer not null default 0,
  sold           integer not null default 0,
  stop_sell      boolean not null default false,
  version        integer not null default 1,
  constraint nights_pk primary key (tenant_id, room_type_id, date),
  constraint nights_not_oversold check (sold <= capacity + overbook_limit),
  constraint nights_sold check (sold >= 0),
  constraint nights_rooms check (rooms >= 0 and capacity >= rooms),
  constraint nights_overbook_limit check (overbook_limit between 0 and 1000)
) with (fillfactor = 70); -- updated with every booking: leave room for the next version of a row on its page
create index nights_by_property on inventory.nights (tenant_id, property_id, date);

create table inventory.allocations (
  tenant_id           uuid not null,
  id                  uuid not null,
  reservation_id      uuid not null,
  property_id         uuid not null,
  reservation_version integer not null, -- of the booking that was answered last
  status              text not null,
  expires_at          timestamptz,      -- when a hold, or a room kept for a no-show, comes free
  version             integer not null default 1,
  updated_at          timestamptz not null default now(),
  constraint allocations_pk primary key (tenant_id, id),
  constraint allocations_one_per_booking unique (tenant_id, reservation_id),
  constraint allocations_status check (status in ('held', 'confirmed', 'kept', 'released', 'refused')),
  constraint allocations_expiry check ((status in ('held', 'kept')) = (expires_at is not null))
);
create index allocations_due on inventory.allocations (expires_at) where expires_at is not null;

-- What an allocation took from the counters, one row per booked room; none when it took nothing.
create table inventory.allocation_rooms (
  tenant_id      uuid not null,
  booked_room_id uuid not null,
  allocation_id  uuid not null,
  room_type_id   uuid not null,
  arrival        date not null,
  departure      date not null,
  position       smallint not null,
  wanted_room_id uuid, -- a room the booking names and somebody else has: to be moved
  constraint allocation_rooms_pk primary key (tenant_id, booked_room_id),
  constraint allocation_rooms_of foreign key (tenant_id, allocation_id) references inventory.allocations (tenant_id, id),
  constraint allocation_rooms_stay check (arrival < departure)
);
create index allocation_rooms_by_allocation on inventory.allocation_rooms (tenant_id, allocation_id);

-- A range of uuids from and to the same one is equality that GiST knows without the extension btree_gist, which not every
-- server has.
create type inventory.uuid_range as range (subtype = uuid);

-- R5, R7, R11: one use of a room per night, whether it is slept in or out of order. A stay that moved has several rows (R16).
create table inventory.room_uses (
  tenant_id      uuid not null,
  id             uuid not null,
  room_id        uuid not null,
  kind           text not null,
  from_date      date not null,
  until_date     date not null,
  booked_room_id uuid, -- of a stay
  block_id       uuid, -- of a block
  constraint room_uses_pk primary key (tenant_id, id),
  constraint room_uses_kind check (kind in ('stay', 'out_of_order')),
  constraint room_uses_nights check (from_date < until_date),
  constraint room_uses_reason check ((kind = 'stay') = (booked_room_id is not null) and (kind = 'stay') = (block_id is null)),
  constraint room_uses_of_stay foreign key (tenant_id, booked_room_id)
    references inventory.allocation_rooms (tenant_id, booked_room_id),
  constraint room_uses_one_at_a_time exclude using gist (
    inventory.uuid_range(tenant_id, tenant_id, '[]') with &&,
    inventory.uuid_range(room_id, room_id, '[]') with &&,
    daterange(from_date, until_date, '[)') with &&)
);
create index room_uses_by_stay on inventory.room_uses (tenant_id, booked_room_id);
create index room_uses_by_room on inventory.room_uses (tenant_id, room_id, from_date);
create index room_uses_out_of_order on inventory.room_uses (tenant_id, from_date) where kind = 'out_of_order';

-- Rooms out of order or out of service. `waiting`: asked for by a repair ticket while somebody has the room (R11).
create table inventory.blocks (
  tenant_id   uuid not null,
  id          uuid not null,
  property_id uuid not null,
  room_id     uuid not null,
  kind        text not null,
  from_date   date not null,
  until_date  date not null,
  reason      text,
  ticket_id   uuid,
  status      text not null,
  created_at  timestamptz not null default now(),
  constraint blocks_pk primary key (tenant_id, id),
  constraint blocks_one_per_ticket unique (tenant_id, ticket_id),
  constraint blocks_kind check (kind in ('out_of_order', 'out_of_service')),
  constraint blocks_status check (status in ('active', 'waiting', 'ended')),
  constraint blocks_nights check (from_date < until_date),
  constraint blocks_reason check (char_length(reason) between 1 and 200)
);
create index blocks_by_room on inventory.blocks (tenant_id, room_id, from_date);
create index blocks_waiting on inventory.blocks (tenant_id) where status = 'waiting';

create table inventory.stop_sells (
  tenant_id    uuid not null,
  id           uuid not null,
  property_id  uuid not null,
  room_type_id uuid not null,
  from_date    date not null,
  until_date   date not null,
  reason       text not null,
  ticket_id    uuid,
  ending       text, -- null: in force
  version      integer not null default 1,
  created_at   timestamptz not null default now(),
  constraint stop_sells_pk primary key (tenant_id, id),
  constraint stop_sells_reason check (reason in ('nearly_full', 'renovation', 'rooms_out_of_order', 'group_event',
    'owner_use', 'rate_strategy')),
  constraint stop_sells_ending check (ending in ('operator', 'cause_gone', 'lapsed')),
  constraint stop_sells_nights check (from_date < until_date)
);
create index stop_sells_in_force on inventory.stop_sells (tenant_id, room_type_id, from_date) where ending is null;

select app.protect('inventory.seen_versions');
select app.protect('inventory.rooms');
select app.protect('inventory.room_types', definer => true);
select app.protect('inventory.nights');
select app.protect('inventory.allocations', definer => true);
select app.protect('inventory.allocation_rooms');
select app.protect('inventory.room_uses');
select app.protect('inventory.blocks', definer => true);
select app.protect('inventory.stop_sells', definer => true);
select app.add_idempotency('inventory');
select jobs.admit('inventory');

-- For jobs that go round all tenants: which ones have something to do. Tenant ids and nothing else.
create function inventory.tenants_with_due_holds(at timestamptz) returns setof uuid
  language sql stable security definer
  set search_path = pg_catalog, pg_temp
as $$
  select distinct tenant_id from inventory.allocations where expires_at is not null and expires_at <= at
$$;
select app.allow_definer('inventory.tenants_with_due_holds(timestamptz)');

create function inventory.tenants_to_tidy(today date, horizon date) returns setof uuid
  language sql stable security definer
  set search_path = pg_catalog, pg_temp
as $$
  select tenant_id from inventory.room_types where counted_until < horizon
  union
  select tenant_id from inventory.stop_sells where ending is null and until_date <= today
  union
  select tenant_id from inventory.blocks where status = 'waiting'
$$;
select app.allow_definer('inventory.tenants_to_tidy(date, date)');
