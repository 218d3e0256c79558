-- why: what state rooms are in, who is in them by the word of the front office, what housekeeping saw, and the work to do.

-- Houses as property-service told of them, and how they want their rooms kept.
create table housekeeping.houses (
  tenant_id        uuid not null,
  id               uuid not null,
  business_date    date,                           -- null: not told yet
  version          integer not null default 0,     -- of the property that was acted on last (X-088)
  stayover_service boolean not null default true,  -- rooms of guests who stay are cleaned every day
  deep_clean_every integer,                        -- days; null: only when somebody asks
  constraint houses_pk primary key (tenant_id, id),
  constraint houses_version check (version >= 0),
  constraint houses_deep_clean_every check (deep_clean_every between 7 and 400)
);

-- R26: two axes; the overlay in force is the one of `overlay_ticket_id`. A room that a booking names before
-- property-service told of it has no number yet.
create table housekeeping.rooms (
  tenant_id          uuid not null,
  id                 uuid not null,
  property_id        uuid not null,
  room_type_id       uuid,
  number             text,
  floor              text,
  sellable_from      date,
  closed_from        date,                          -- null: not archived
  room_version       integer not null default 0,    -- of property-service's room
  status_id          uuid not null,                 -- rms_…
  status_version     integer not null default 0,
  occupancy          text not null default 'vacant',
  condition          text not null default 'dirty', -- nobody has looked at a new room yet
  overlay_ticket_id  uuid,
  observed_occupancy text,                          -- what housekeeping saw last; the other view (R26)
  observed_persons   integer,
  observed_at        timestamptz,
  observed_by        uuid,
  deep_cleaned_on    date,
  constraint rooms_pk primary key (tenant_id, id),
  constraint rooms_status_once unique (tenant_id, status_id),
  constraint rooms_occupancy check (occupancy in ('vacant', 'occupied')),
  constraint rooms_condition check (condition in ('dirty', 'pickup', 'clean', 'inspected')),
  constraint rooms_occupied_without_overlay check (occupancy = 'vacant' or overlay_ticket_id is null), -- R11
  constraint rooms_observed_occupancy check (observed_occupancy in ('vacant', 'occupied')),
  constraint rooms_observed check ((observed_occupancy is null) = (observed_at is null)),
  constraint rooms_observed_persons check (observed_persons between 0 and 60)
);
create index rooms_by_property on housekeeping.rooms (tenant_id, property_id, number);

-- The front office's view: booked rooms that are expected or in house. Each part has the version of the booking that
-- said it, so that facts may overtake each other (X-088).
create table housekeeping.stays (
  tenant_id      uuid not null,
  booked_room_id uuid not null,
  reservation_id uuid not null,
  property_id    uuid not null,
  room_id        uuid,
  room_version   integer not null default 0,
  next_room_id   uuid, -- moves there with the hotel day `next_from` (R16)
  next_from      date,
  arrival        date not null,
  departure      date not null,
  dates_version  integer not null default 0,
  persons        integer not null,
  key_from       timestamptz, -- when the guest may stand at the door
  status         text not null,
  status_version integer not null default 0,
  since          date, -- the hotel day of the check-in
  constraint stays_pk primary key (tenant_id, booked_room_id),
  constraint stays_status check (status in ('expected', 'in_house', 'left', 'gone')),
  constraint stays_dates check (arrival < departure),
  constraint stays_next check ((next_room_id is null) = (next_from is null))
);
create index stays_by_booking on housekeeping.stays (tenant_id, reservation_id);
create index stays_by_room on housekeeping.stays (tenant_id, room_id) where status in ('expected', 'in_house');
create index stays_by_property on housekeeping.stays (tenant_id, property_id) where status in ('expected', 'in_house');

-- Out of order and out of service, by the word of maintenance-service, one per ticket. Whether one is in force follows from
-- the hotel day and from whether somebody is in the room.
create table housekeeping.overlays (
  tenant_id        uuid not null,
  ticket_id        uuid not null,
  property_id      uuid not null,
  room_id          uuid,
  kind             text not null,
  from_date        date,
  until_date       date,
  return_condition text not null,
  ended            boolean not null default false,
  version          integer not null, -- of the ticket
  constraint overlays_pk primary key (tenant_id, ticket_id),
  constraint overlays_kind check (kind in ('none', 'out_of_order', 'out_of_service')),
  constraint overlays_days check (from_date < until_date),
  constraint overlays_blocks check ((kind = 'none') = (from_date is null) and (from_date is null) = (until_date is null)),
  constraint overlays_return_condition check (return_condition in ('dirty', 'pickup', 'clean', 'inspected'))
);
create index overlays_running on housekeeping.overlays (tenant_id, room_id) where not ended and kind <> 'none';

create table housekeeping.tasks (
  tenant_id         uuid not null,
  id                uuid not null,
  property_id       uuid not null,
  room_id           uuid not null,
  kind              text not null,
  cause             text not null,
  reservation_id    uuid,
  business_date     date not null,
  status            text not null,
  rush              boolean not null,
  due_at            timestamptz,
  estimated_minutes integer not null,
  assignee_id       uuid,
  checklist         jsonb not null,
  note              text,
  started_at        timestamptz,
  completed_at      timestamptz,
  completed_by      uuid,
  outcome           text,
  ticket_id         uuid, -- what was found broken
  inspection        text,
  inspected_by      uuid,
  replaced_by       uuid, -- a task that made this one pointless
  version           integer not null default 1,
  created_at        timestamptz not null default now(),
  constraint tasks_pk primary key (tenant_id, id),
  constraint tasks_kind check (kind in ('departure_clean', 'stayover_clean', 'deep_clean', 'linen_change', 'turndown',
    'inspection')),
  constraint tasks_cause check (cause in ('check_out', 'room_move', 'schedule', 'maintenance_done', 'operator')),
  constraint tasks_status check (status in ('created', 'assigned', 'started', 'completed', 'cancelled')),
  constraint tasks_outcome check (outcome in ('done', 'refused_by_guest', 'not_needed')),
  constraint tasks_ended check ((status in ('completed', 'cancelled')) = (outcome is not null)),
  constraint tasks_inspection check (inspection in ('passed', 'failed')),
  constraint tasks_estimated_minutes check (estimated_minutes between 1 and 1440),
  constraint tasks_note check (char_length(note) between 1 and 500)
);
-- One open task of a kind per room, whoever asks for it and however often.
create unique index tasks_one_open on housekeeping.tasks (tenant_id, room_id, kind)
  where status in ('created', 'assigned', 'started');
create index tasks_by_day on housekeeping.tasks (tenant_id, property_id, business_date);
create index tasks_open on housekeeping.tasks (tenant_id, property_id) where status in ('created', 'assigned', 'started');

-- R26: front office and housekeeping disagree. One open per room; closed ones stay for whoever asks why.
create table housekeeping.discrepancies (
  tenant_id              uuid not null,
  id                     uuid not null,
  property_id            uuid not null,
  room_id                uuid not null,
  kind                   text not null,
  front_office_occupancy text not null,
  front_office_persons   integer not null,
  observed_occupancy     text not null,
  observed_persons       integer,
  reservation_id         uuid,
  business_date          date not null,
  found_at               timestamptz not null,
  found_by               uuid,
  ending                 text, -- null: open
  resolved_by            uuid, -- null with an ending: the facts moved on
  resolved_at            timestamptz,
  note                   text,
  constraint discrepancies_pk primary key (tenant_id, id),
  constraint discrepancies_kind check (kind in ('skip', 'sleep', 'person_count')),
  constraint discrepancies_front_office_occupancy check (front_office_occupancy in ('vacant', 'occupied')),
  constraint discrepancies_observed_occupancy check (observed_occupancy in ('vacant', 'occupied')),
  constraint discrepancies_ending check (ending in ('observation_wrong', 'guest_left', 'room_cleared', 'count_accepted',
    'front_office_changed', 'seen_again')),
  constraint discrepancies_resolved check ((ending is null) = (resolved_at is null)),
  constraint discrepancies_note check (char_length(note) between 1 and 500)
);
create unique index discrepancies_one_open on housekeeping.discrepancies (tenant_id, room_id) where ending is null;
create index discrepancies_by_property on housekeeping.discrepancies (tenant_id, property_id, found_at);

-- How a kind of work is done in a house; kinds without a row follow the usual plan.
create table housekeeping.plans (
  tenant_id         uuid not null,
  property_id       uuid not null,
  kind              text not null,
  estimated_minutes integer not null,
  checklist         jsonb not null,
  constraint plans_pk primary key (tenant_id, property_id, kind),
  constraint plans_kind check (kind in ('departure_clean', 'stayover_clean', 'deep_clean', 'linen_change', 'turndown',
    'inspection')),
  constraint plans_estimated_minutes check (estimated_minutes between 1 and 1440)
);

select app.protect('housekeeping.houses');
select app.protect('housekeeping.rooms');
select app.protect('housekeeping.stays');
select app.protect('housekeeping.overlays');
select app.protect('housekeeping.tasks');
select app.protect('housekeeping.discrepancies');
select app.protect('housekeeping.plans');
select app.add_idempotency('housekeeping');
select jobs.admit('housekeeping');
