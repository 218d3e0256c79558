-- why: calendars of outside portals are read and take rooms (R13), and portals can read ours.

-- Houses as property-service told of them: calendars are read and written in the zone of the house (R3).
create table inventory.properties (
  tenant_id uuid not null,
  id        uuid not null,
  zone      text not null,
  constraint properties_pk primary key (tenant_id, id)
);

-- A calendar that a portal publishes about a room, or about any one room of a type.
create table inventory.feeds (
  tenant_id     uuid not null,
  id            uuid not null,
  property_id   uuid not null,
  room_id       uuid,
  room_type_id  uuid,
  name          text not null,
  url           text,               -- null: its calendar is only uploaded. Portals put a secret into it
  ignored       text[] not null,    -- summaries of events that are no bookings; `*` stands for anything
  status        text not null,
  etag          text,               -- what the portal wants to hear again, of the calendar that was taken over last
  last_modified text,
  checked_at    timestamptz,        -- when it was fetched or uploaded last, with whatever result
  imported_at   timestamptz,        -- when its calendar was last known to be taken over
  last_error    text,               -- null: the last time went well
  failures      integer not null default 0, -- in a row
  next_fetch_at timestamptz,        -- null: nobody fetches it
  created_at    timestamptz not null default now(),
  constraint feeds_pk primary key (tenant_id, id),
  constraint feeds_status check (status in ('active', 'paused', 'removed')),
  constraint feeds_what check (num_nonnulls(room_id, room_type_id) = 1),
  constraint feeds_fetching check (next_fetch_at is null or (status = 'active' and url is not null)),
  constraint feeds_failures check (failures >= 0)
);
create index feeds_of_property on inventory.feeds (tenant_id, property_id);
create index feeds_due on inventory.feeds (next_fetch_at) where next_fetch_at is not null;

-- An imported block is one event of a feed, matched by its UID; its dates are those the portal told last. What it really
-- has are its rows in room_uses or type_uses: `waiting` means that some of its nights are not among them yet (R11).
alter table inventory.blocks
  alter column room_id drop not null,
  add column room_type_id uuid, -- any room of this type
  add column feed_id uuid,
  add column event_uid text,
  add column ending text,       -- null: in force, or ended before endings were written down
  drop constraint blocks_kind,
  add constraint blocks_kind check (kind in ('out_of_order', 'out_of_service', 'imported')),
  add constraint blocks_what check (num_nonnulls(room_id, room_type_id) = 1 and (kind = 'imported' or room_id is not null)),
  add constraint blocks_event check (
    (kind = 'imported') = (feed_id is not null) and (kind = 'imported') = (event_uid is not null)),
  add constraint blocks_ending check (ending in ('operator', 'repaired', 'vanished', 'feed_removed', 'lapsed')),
  add constraint blocks_end check (ending is null or status = 'ended'),
  add constraint blocks_one_per_event unique (tenant_id, feed_id, event_uid),
  add constraint blocks_of_feed foreign key (tenant_id, feed_id) references inventory.feeds (tenant_id, id);

alter table inventory.room_uses
  drop constraint room_uses_kind,
  add constraint room_uses_kind check (kind in ('stay', 'out_of_order', 'imported'));
drop index inventory.room_uses_out_of_order;
create index room_uses_blocked on inventory.room_uses (tenant_id, from_date) where kind <> 'stay';
create index room_uses_by_block on inventory.room_uses (tenant_id, block_id) where block_id is not null;

-- Nights on which a block has one room of a type, whichever it is: as many fewer are counted.
create table inventory.type_uses (
  tenant_id    uuid not null,
  id           uuid not null,
  room_type_id uuid not null,
  block_id     uuid not null,
  from_date    date not null,
  until_date   date not null,
  constraint type_uses_pk primary key (tenant_id, id),
  constraint type_uses_nights check (from_date < until_date),
  constraint type_uses_of_block foreign key (tenant_id, block_id) references inventory.blocks (tenant_id, id)
);
create index type_uses_by_type on inventory.type_uses (tenant_id, room_type_id, from_date);
create index type_uses_by_block on inventory.type_uses (tenant_id, block_id);

-- Our own calendars: whoever knows the token may read when a room or type is busy, and nothing else.
create table inventory.calendars (
  tenant_id      uuid not null,
  id             uuid not null,
  property_id    uuid not null,
  room_id        uuid,
  room_type_id   uuid,
  except_feed_id uuid, -- what this feed told us is left out: its portal would hear its own bookings back
  token_hash     bytea not null,
  created_at     timestamptz not null default now(),
  revoked_at     timestamptz,
  constraint calendars_pk primary key (tenant_id, id),
  constraint calendars_what check (num_nonnulls(room_id, room_type_id) = 1),
  constraint calendars_token check (length(token_hash) = 32),
  constraint calendars_except foreign key (tenant_id, except_feed_id) references inventory.feeds (tenant_id, id)
);
create index calendars_of_property on inventory.calendars (tenant_id, property_id);
create index calendars_by_token on inventory.calendars (token_hash) where revoked_at is null;

select app.protect('inventory.properties');
select app.protect('inventory.feeds', definer => true);
select app.protect('inventory.type_uses');
select app.protect('inventory.calendars', definer => true);

-- For jobs and for readers without a sign-in: whose turn it is, and whose token this is. Ids and nothing else.
create function inventory.due_feeds(due_at timestamptz, most integer) returns table (tenant_id uuid, id uuid)
  language sql stable security definer
  set search_path = pg_catalog, pg_temp
as $$
  select f.tenant_id, f.id from inventory.feeds f where f.next_fetch_at <= due_at order by f.next_fetch_at limit most
$$;
select app.allow_definer('inventory.due_feeds(timestamptz, integer)');

create function inventory.tenants_with_waiting_blocks() returns setof uuid
  language sql stable security definer
  set search_path = pg_catalog, pg_temp
as $$
  select distinct tenant_id from inventory.blocks where status = 'waiting'
$$;
select app.allow_definer('inventory.tenants_with_waiting_blocks()');

create function inventory.calendar_of_token(hash bytea) returns table (tenant_id uuid, id uuid)
  language sql stable security definer
  set search_path = pg_catalog, pg_temp
as $$
  select c.tenant_id, c.id from inventory.calendars c where c.token_hash = hash and c.revoked_at is null
$$;
select app.allow_definer('inventory.calendar_of_token(bytea)');

-- Blocks that wait have a job of their own now.
create or replace function inventory.tenants_to_tidy(today date, horizon date) returns setof uuid
  language sql stable security definer
  set search_path = pg_catalog, pg_temp
as $$
  select tenant_id from inventory.room_types where counted_until < horizon
  union
  select tenant_id from inventory.stop_sells where ending is null and until_date <= today
$$;
