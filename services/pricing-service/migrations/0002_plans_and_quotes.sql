-- why: what rooms cost, on which conditions, and what was promised to whom.

-- Copies of what property-service tells; events of a house and of its room types may come in any order.
create table pricing.properties (
  tenant_id     uuid not null,
  id            uuid not null,
  zone          text not null,
  currency      text not null,
  check_in_from text not null,
  version       integer not null,
  constraint properties_pk primary key (tenant_id, id)
);

create table pricing.room_types (
  tenant_id    uuid not null,
  id           uuid not null,
  property_id  uuid not null,
  max_adults   integer not null,
  max_children integer not null,
  max_guests   integer not null,
  version      integer not null,
  constraint room_types_pk primary key (tenant_id, id)
);

create table pricing.policies (
  tenant_id   uuid not null,
  id          uuid not null,
  property_id uuid not null,
  kind        text not null,
  name        jsonb not null,
  terms       jsonb not null,
  version     integer not null default 1,
  constraint policies_pk primary key (tenant_id, id),
  constraint policies_kind check (kind in ('cancellation', 'no_show', 'deposit'))
);
create index policies_of_property on pricing.policies (tenant_id, property_id);

create table pricing.rate_plans (
  tenant_id              uuid not null,
  id                     uuid not null,
  property_id            uuid not null,
  name                   jsonb not null,
  room_type_ids          uuid[] not null,
  currency               text not null,
  board                  text not null,
  guarantee              text not null,
  refundable             boolean not null,
  cancellation_policy_id uuid not null,
  no_show_policy_id      uuid not null,
  deposit_policy_id      uuid,
  sell_from              date not null,
  sell_until             date,
  derived_from           uuid,
  derivation             jsonb,
  extra_guests           jsonb,
  status                 text not null default 'draft',
  version                integer not null default 1,
  constraint rate_plans_pk primary key (tenant_id, id),
  constraint rate_plans_board check (board in ('room_only', 'breakfast', 'half_board', 'full_board')),
  constraint rate_plans_guarantee check (guarantee in ('prepaid', 'deposit', 'cash_on_arrival')),
  constraint rate_plans_status check (status in ('draft', 'published', 'archived')),
  constraint rate_plans_some_room check (cardinality(room_type_ids) > 0),
  constraint rate_plans_derived check ((derived_from is null) = (derivation is null)),
  constraint rate_plans_sold check (sell_until is null or sell_from <= sell_until)
);
create index rate_plans_of_property on pricing.rate_plans (tenant_id, property_id);

-- One row for each plan and room type: its version counts the changes of its days and is what they lock.
create table pricing.calendars (
  tenant_id    uuid not null,
  id           uuid not null,
  rate_plan_id uuid not null,
  room_type_id uuid not null,
  version      integer not null default 0,
  constraint calendars_pk primary key (tenant_id, id),
  constraint calendars_one unique (tenant_id, rate_plan_id, room_type_id)
);

create table pricing.calendar_days (
  tenant_id           uuid not null,
  rate_plan_id        uuid not null,
  room_type_id        uuid not null,
  date                date not null,
  price_minor         bigint, -- null: not sold, or derived from another plan
  min_nights          integer not null default 1,
  max_nights          integer,
  closed_to_arrival   boolean not null default false,
  closed_to_departure boolean not null default false,
  closed              boolean not null default false,
  constraint calendar_days_pk primary key (tenant_id, rate_plan_id, room_type_id, date),
  constraint calendar_days_price check (price_minor >= 0),
  constraint calendar_days_nights check (min_nights >= 1 and (max_nights is null or min_nights <= max_nights))
);

create table pricing.charges (
  tenant_id   uuid not null,
  property_id uuid not null,
  code        text not null,
  rule        jsonb not null,
  version     integer not null default 1,
  constraint charges_pk primary key (tenant_id, property_id, code)
);

create table pricing.promos (
  tenant_id   uuid not null,
  property_id uuid not null,
  code        text not null,
  rule        jsonb not null,
  version     integer not null default 1,
  constraint promos_pk primary key (tenant_id, property_id, code)
);

create table pricing.quotes (
  tenant_id         uuid not null,
  id                uuid not null,
  property_id       uuid not null,
  previous_quote_id uuid,
  booking_draft_id  uuid,
  status            text not null default 'open',
  arrival           date not null,
  departure         date not null,
  currency          text not null,
  zone              text not null,
  check_in_from     text not null,
  promo_code        text,
  guarantee         text not null,
  refundable        boolean not null,
  policies          jsonb not null, -- as they were agreed to
  charge_names      jsonb not null,
  override          jsonb,
  net_minor         bigint not null,
  tax_minor         bigint not null,
  gross_minor       bigint not null,
  quoted_at         timestamptz not null,
  expires_at        timestamptz not null,
  version           integer not null default 1,
  constraint quotes_pk primary key (tenant_id, id),
  constraint quotes_status check (status in ('open', 'used', 'expired')),
  constraint quotes_guarantee check (guarantee in ('prepaid', 'deposit', 'cash_on_arrival')),
  constraint quotes_stay check (arrival < departure),
  constraint quotes_sum check (net_minor + tax_minor = gross_minor)
);
create index quotes_of_promo on pricing.quotes (tenant_id, property_id, promo_code) where promo_code is not null;
create index quotes_open on pricing.quotes (expires_at) where status = 'open';

create table pricing.quote_rooms (
  tenant_id      uuid not null,
  quote_id       uuid not null,
  room           smallint not null,
  room_type_id   uuid not null,
  rate_plan_id   uuid not null,
  plan_version   integer not null,
  board          text not null,
  booked_room_id uuid,
  arrival        date not null,
  departure      date not null,
  adults         smallint not null,
  children       smallint not null,
  remainder_on   date not null,
  constraint quote_rooms_pk primary key (tenant_id, quote_id, room)
);

-- R21: one row for each night as it was promised. Nobody changes it.
create table pricing.quote_nights (
  tenant_id   uuid not null,
  quote_id    uuid not null,
  room        smallint not null,
  date        date not null,
  base_minor  bigint not null,
  adjustments jsonb not null,
  charges     jsonb not null,
  net_minor   bigint not null,
  tax_minor   bigint not null,
  gross_minor bigint not null,
  constraint quote_nights_pk primary key (tenant_id, quote_id, room, date),
  constraint quote_nights_sum check (net_minor + tax_minor = gross_minor),
  constraint quote_nights_amounts check (net_minor >= 0 and tax_minor >= 0)
);

-- Which booking uses which quote; a cancelled one gives its promo code back, whichever fact arrives first.
create table pricing.quote_uses (
  tenant_id      uuid not null,
  reservation_id uuid not null,
  quote_id       uuid,
  status         text not null,
  constraint quote_uses_pk primary key (tenant_id, reservation_id),
  constraint quote_uses_status check (status in ('booked', 'given_back'))
);
create index quote_uses_of_quote on pricing.quote_uses (tenant_id, quote_id);

create table pricing.deltas (
  tenant_id           uuid not null,
  id                  uuid not null,
  reservation_id      uuid not null,
  reservation_version integer not null,
  quote_id            uuid not null,
  new_quote_id        uuid not null,
  fee_minor           bigint not null,
  delta_minor         bigint not null,
  applied_at          timestamptz not null,
  constraint deltas_pk primary key (tenant_id, id),
  constraint deltas_one_per_version unique (tenant_id, reservation_id, reservation_version)
);

select app.protect('pricing.properties');
select app.protect('pricing.room_types');
select app.protect('pricing.policies');
select app.protect('pricing.rate_plans');
select app.protect('pricing.calendars');
select app.protect('pricing.calendar_days');
select app.protect('pricing.charges');
select app.protect('pricing.promos');
select app.protect('pricing.quotes', maintenance => true, definer => true);
select app.protect('pricing.quote_rooms', maintenance => true);
select app.protect('pricing.quote_nights', maintenance => true);
select app.protect('pricing.quote_uses');
select app.protect('pricing.deltas');
select app.append_only('pricing.deltas');

-- Frozen: the service may write and read; only maintenance removes quotes that nobody ever used.
revoke update, delete on pricing.quote_rooms, pricing.quote_nights from svc_pricing;
revoke update on pricing.quote_rooms, pricing.quote_nights from maintenance;
revoke update, delete on pricing.quotes from svc_pricing;
grant update (status, version) on pricing.quotes to svc_pricing;
create trigger frozen before update on pricing.quote_rooms for each row execute function app.refuse_change();
create trigger frozen before update on pricing.quote_nights for each row execute function app.refuse_change();

-- Whose quotes have lapsed: the job then works for each tenant under its own row-level security.
create function pricing.tenants_with_lapsed_quotes(at timestamptz, most integer)
  returns table (tenant_id uuid)
  language sql stable security definer
  set search_path = pg_catalog, pg_temp
as $$
  select distinct q.tenant_id
  from pricing.quotes q
  where q.status = 'open' and q.expires_at <= at
  limit most
$$;
select app.allow_definer('pricing.tenants_with_lapsed_quotes(timestamptz, integer)');

select app.add_idempotency('pricing');
select jobs.admit('pricing');
