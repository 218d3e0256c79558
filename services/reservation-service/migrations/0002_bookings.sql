-- why: bookings, the guests they are for, and the sagas that carry them through the other services.

create table reservation.guests (
  tenant_id  uuid not null,
  id         uuid not null,
  name       text not null,
  phone      text not null,
  email      text,
  locale     text not null,
  created_at timestamptz not null default now(),
  constraint guests_pk primary key (tenant_id, id),
  constraint guests_name check (char_length(name) between 1 and 200),
  constraint guests_phone check (phone ~ '^\+[1-9][0-9]{6,14}$'),
  constraint guests_email check (char_length(email) between 3 and 254),
  constraint guests_locale check (locale in ('en', 'ps', 'fa-AF'))
);
select app.protect('reservation.guests');

-- What is searched by has a column; what was agreed and is only ever read whole (rooms with their frozen nights, totals,
-- policies, payment) is one document.
create table reservation.reservations (
  tenant_id   uuid not null,
  id          uuid not null,
  code        text not null, -- what the guest shows at the door
  property_id uuid not null,
  guest_id    uuid not null,
  status      text not null,
  arrival     date not null,
  departure   date not null,
  agreed      jsonb not null,
  created_at  timestamptz not null,
  updated_at  timestamptz not null,
  version     integer not null,
  constraint reservations_pk primary key (tenant_id, id),
  constraint reservations_code unique (tenant_id, code),
  constraint reservations_guest foreign key (tenant_id, guest_id) references reservation.guests (tenant_id, id),
  constraint reservations_stay check (arrival < departure),
  constraint reservations_status check (status in (
    'draft', 'held', 'confirmed', 'confirmed_cash_pending', 'check_in_partial', 'checked_in',
    'checked_out_balance_pending', 'checked_out', 'cancelled', 'no_show'))
);
create index reservations_arrivals on reservation.reservations (tenant_id, property_id, arrival);
create index reservations_departures on reservation.reservations (tenant_id, property_id, departure);
create index reservations_of_guest on reservation.reservations (tenant_id, guest_id);
select app.protect('reservation.reservations');

-- A saga is a row: it survives any restart, and a sweeper ends it when its time is over (SAGA-08).
create table reservation.sagas (
  tenant_id      uuid not null,
  id             uuid not null,
  kind           text not null,
  reservation_id uuid not null,
  waits_for      text not null,
  business_date  date, -- the hotel day the desk began on
  deadline_at    timestamptz,
  outcome        text,
  started_at     timestamptz not null,
  ended_at       timestamptz,
  constraint sagas_pk primary key (tenant_id, id),
  constraint sagas_reservation foreign key (tenant_id, reservation_id) references reservation.reservations (tenant_id, id),
  constraint sagas_kind check (kind in ('booking', 'check_in', 'check_out', 'date_change')),
  constraint sagas_outcome check (outcome in ('success', 'compensated', 'partial')),
  constraint sagas_ended check ((outcome is null) = (ended_at is null))
);
create unique index sagas_one_open on reservation.sagas (tenant_id, reservation_id, kind) where outcome is null;
create index sagas_due on reservation.sagas (deadline_at) where outcome is null;
select app.protect('reservation.sagas', definer => true);

-- Whose deadlines have passed, across tenants: nothing but ids leaves this function.
create function reservation.due_sagas(at timestamptz, most integer)
  returns table (tenant_id uuid, saga_id uuid)
  language sql stable security definer
  set search_path = pg_catalog, pg_temp
as $$
  select s.tenant_id, s.id
  from reservation.sagas s
  where s.outcome is null and s.deadline_at <= at
  order by s.deadline_at
  limit most
$$;
select app.allow_definer('reservation.due_sagas(timestamptz, integer)');

select app.add_idempotency('reservation');

-- Old idempotency keys are removed, and deadlines looked at, by jobs of this service.
select jobs.admit('reservation');
