-- why: keys with windows for every booked room, the locks they open, and what staff did with them (R16, R27, SAGA-05, 20, 26, 36, 44, 49, 53).

-- Houses as property-service tells them, with the house's own rules about keys.
create table lock_integration.houses (
  tenant_id    uuid not null,
  property_id  uuid not null,
  zone         text not null,                       -- whole hours are those of the clock in the house
  end_rounding text not null default 'up',          -- where the end of a stay goes when a lock knows whole hours only
  metal_keys   text not null default 'with_check_in',
  version      integer not null default 1,
  constraint houses_pk primary key (tenant_id, property_id),
  constraint houses_end_rounding check (end_rounding in ('up', 'down', 'nearest')),
  constraint houses_metal_keys check (metal_keys in ('with_check_in', 'confirmed'))
);
select app.protect('lock_integration.houses');

create table lock_integration.rooms (
  tenant_id   uuid not null,
  room_id     uuid not null,
  property_id uuid not null,
  number      text not null,
  archived    boolean not null default false,
  constraint rooms_pk primary key (tenant_id, room_id)
);
select app.protect('lock_integration.rooms');

-- What hangs on a door. A mechanical lock is written down when its first key is handed over; nobody pairs it.
create table lock_integration.locks (
  tenant_id        uuid not null,
  id               uuid not null,
  property_id      uuid not null,
  room_id          uuid,                            -- null: a door of the house
  vendor           text not null,
  vendor_reference text not null,                   -- what the vendor calls it
  reach            text not null,
  status           text not null,
  is_online        boolean,                         -- null: nobody has looked
  battery          integer,                         -- percent
  failure          text,                            -- of the last look; null: it answered
  looked_at        timestamptz,
  paired_at        timestamptz not null,
  version          integer not null default 1,
  constraint locks_pk primary key (tenant_id, id),
  constraint locks_vendor check (vendor in ('ttlock', 'salto', 'assa_abloy', 'wiegand', 'mechanical')),
  constraint locks_reach check (reach in ('online', 'gateway', 'offline')),
  constraint locks_status check (status in ('paired', 'unpaired')),
  constraint locks_failure check (failure in ('timeout', 'unreachable', 'rate_limited', 'not_authorised', 'refused',
    'lock_offline', 'bad_reply'))
);
create unique index locks_one_per_room on lock_integration.locks (tenant_id, room_id)
  where status = 'paired' and room_id is not null;
create unique index locks_one_per_reference on lock_integration.locks (tenant_id, vendor, vendor_reference)
  where status = 'paired';
create index locks_by_property on lock_integration.locks (tenant_id, property_id);
create index locks_to_look_at on lock_integration.locks (looked_at) where status = 'paired';
select app.protect('lock_integration.locks', definer => true);

-- What this service remembers of a booking. Booking and allocation events arrive in any order: the window has a version
-- of its own (X-088, X-117).
create table lock_integration.bookings (
  tenant_id      uuid not null,
  reservation_id uuid not null,
  property_id    uuid not null,
  guest_id       uuid not null,
  version        integer not null default 0,        -- of the newest booking event that was read
  window_version integer not null default 0,        -- of the booking event or reallocation that set the window
  phase          text not null,
  is_paid        boolean not null,                  -- false: cash on arrival (SAGA-27)
  valid_from     timestamptz not null,
  valid_until    timestamptz not null,
  end_reason     text,
  look_at        timestamptz,                       -- when somebody looks after its keys next; null: nobody needs to
  constraint bookings_pk primary key (tenant_id, reservation_id),
  constraint bookings_phase check (phase in ('expected', 'here', 'ended')),
  constraint bookings_end_reason check (end_reason in ('check_out', 'cancellation', 'no_show', 'replaced', 'expired',
    'security', 'check_in_undone')),
  constraint bookings_window check (valid_from < valid_until),
  constraint bookings_ended check ((phase = 'ended') = (end_reason is not null))
);
create index bookings_to_look_after on lock_integration.bookings (look_at) where look_at is not null;
select app.protect('lock_integration.bookings', definer => true);

create table lock_integration.booked_rooms (
  tenant_id      uuid not null,
  booked_room_id uuid not null,
  reservation_id uuid not null,
  room_id        uuid,                              -- null: any room of the type
  constraint booked_rooms_pk primary key (tenant_id, booked_room_id)
);
create index booked_rooms_by_booking on lock_integration.booked_rooms (tenant_id, reservation_id);
select app.protect('lock_integration.booked_rooms');

-- A key: what should become of it (`wish`), what the vendor has (`at_vendor`), what others were told (`status`, told_*).
create table lock_integration.keys (
  tenant_id         uuid not null,
  id                uuid not null,
  reservation_id    uuid not null,
  booked_room_id    uuid not null,
  property_id       uuid not null,
  guest_id          uuid not null,
  room_id           uuid not null,
  lock_id           uuid not null,
  vendor            text not null,
  medium            text not null,
  status            text not null,
  wish              text not null,
  at_vendor         text not null,
  announce          boolean not null,               -- others are told as soon as it opens
  stay_from         timestamptz not null,           -- the stay it was made for
  stay_until        timestamptz not null,
  window_from       timestamptz not null,           -- when it should open, in the vendor's steps
  window_until      timestamptz not null,
  held_from         timestamptz,                    -- when it opens, as the vendor has it
  held_until        timestamptz,
  told_from         timestamptz,                    -- when others think it opens
  told_until        timestamptz,
  vendor_reference  text,                           -- what the vendor calls it, never what opens the door
  sealed_code       bytea,                          -- what opens the door; opened at check-in, for staff
  given_at          timestamptz,                    -- the guest has it in his hands
  reason            text not null,
  replaces          uuid,
  end_reason        text,
  confirmed_by_lock boolean,
  suspend_reason    text,
  suspended_until   timestamptz,
  suspended_by      text,
  next_try_at       timestamptz,                    -- when the vendor is called next; null: nothing is to do there
  leased_until      timestamptz,                    -- somebody is calling right now
  lease             uuid,
  tries             integer not null default 0,     -- failures in a row
  operation         text,                           -- what failed last
  failure           text,
  vendor_code       text,
  queued_at         timestamptz,                    -- with the front desk since then (SAGA-26)
  version           integer not null default 1,
  created_at        timestamptz not null,
  updated_at        timestamptz not null,
  constraint keys_pk primary key (tenant_id, id),
  constraint keys_vendor check (vendor in ('ttlock', 'salto', 'assa_abloy', 'wiegand', 'mechanical')),
  constraint keys_medium check (medium in ('passcode', 'card', 'mobile_key', 'metal_key')),
  constraint keys_status check (status in ('wanted', 'ready', 'issued', 'suspended', 'revoked')),
  constraint keys_wish check (wish in ('live', 'asleep', 'gone')),
  constraint keys_at_vendor check (at_vendor in ('absent', 'unknown', 'live', 'asleep', 'gone', 'by_hand')),
  constraint keys_reason check (reason in ('booking', 'check_in', 'replacement')),
  constraint keys_end_reason check (end_reason in ('check_out', 'cancellation', 'no_show', 'replaced', 'expired',
    'security', 'check_in_undone')),
  constraint keys_ended check (wish <> 'gone' or end_reason is not null),
  constraint keys_suspend_reason check (suspend_reason in ('police_hold', 'dispute', 'security')),
  constraint keys_operation check (operation in ('issue', 'update', 'revoke', 'suspend')),
  constraint keys_failure check (failure in ('timeout', 'unreachable', 'rate_limited', 'not_authorised', 'refused',
    'lock_offline', 'bad_reply')),
  constraint keys_window check (window_from < window_until)
);
create index keys_by_booking on lock_integration.keys (tenant_id, reservation_id);
create index keys_by_booked_room on lock_integration.keys (tenant_id, booked_room_id) where wish <> 'gone';
create index keys_by_lock on lock_integration.keys (tenant_id, lock_id);
create index keys_by_room on lock_integration.keys (tenant_id, room_id);
create index keys_due on lock_integration.keys (next_try_at) where next_try_at is not null;
create index keys_unfinished on lock_integration.keys (window_until) where not (wish = 'gone' and at_vendor = 'gone');
create index keys_queued on lock_integration.keys (tenant_id, property_id, queued_at) where queued_at is not null;
select app.protect('lock_integration.keys', definer => true);

-- Who did what with a key or a lock by hand (BO-37). Only grows.
create table lock_integration.actions (
  tenant_id      uuid not null,
  id             uuid not null,
  action         text not null,
  key_id         uuid,
  lock_id        uuid,
  reservation_id uuid,
  actor_type     text not null,
  actor_id       text not null,
  device_id      text,
  session_id     text,
  attestation_id text,                              -- the second factor that was shown for it
  at             timestamptz not null,
  constraint actions_pk primary key (tenant_id, id),
  constraint actions_action check (action in ('release', 'encode', 'replace', 'suspend', 'lift', 'retry', 'by_hand',
    'pair', 'unpair')),
  constraint actions_actor_type check (actor_type in ('user', 'system', 'service', 'api_key'))
);
create index actions_by_key on lock_integration.actions (tenant_id, key_id) where key_id is not null;
select app.protect('lock_integration.actions');
select app.append_only('lock_integration.actions');

-- Keys whose vendor is to be called now, across tenants: names only, the work is done inside each tenant.
create function lock_integration.due_keys(due_at timestamptz, most integer)
  returns table (tenant_id uuid, id uuid)
  language sql stable security definer
  set search_path = pg_catalog, pg_temp
as $$
  select k.tenant_id, k.id
  from lock_integration.keys k
  where k.next_try_at <= due_at
    and (k.leased_until is null or k.leased_until <= due_at)
  order by k.next_try_at
  limit most
$$;
select app.allow_definer('lock_integration.due_keys(timestamptz, integer)');

-- What the round looks after: arrivals whose codes are fetched ahead, keys that sleep, run out or are over, locks that
-- nobody has looked at for an hour.
create function lock_integration.due_round(due_at timestamptz, most integer)
  returns table (tenant_id uuid, kind text, id uuid)
  language sql stable security definer
  set search_path = pg_catalog, pg_temp
as $$
  (select b.tenant_id, 'booking', b.reservation_id
   from lock_integration.bookings b
   where b.look_at <= due_at
   order by b.look_at
   limit most)
  union
  (select k.tenant_id, 'booking', k.reservation_id
   from lock_integration.keys k
   where not (k.wish = 'gone' and k.at_vendor = 'gone')
     and (k.suspended_until <= due_at
       or (k.wish = 'gone' and k.window_until <= due_at)
       or (k.status = 'issued' and k.window_until <= due_at + interval '1 day'
           and k.stay_until > k.window_until + interval '1 hour'))
   limit most)
  union
  (select l.tenant_id, 'lock', l.id
   from lock_integration.locks l
   where l.status = 'paired'
     and l.looked_at <= due_at - interval '1 hour'
   order by l.looked_at
   limit most)
$$;
select app.allow_definer('lock_integration.due_round(timestamptz, integer)');

select app.add_idempotency('lock_integration');
select jobs.admit('lock_integration');
