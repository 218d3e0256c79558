-- why: intents, refunds, cash drawers and the append-only ledger of money that moved (R19, R22..R25, X-116, X-119).

-- What this service remembers of a booking: enough to know when to ask for money and when to give it back. Booking,
-- allocation and folio events arrive in any order, so every part has its own version (SAGA-17, X-088).
create table payment_gateway.bookings (
  tenant_id         uuid not null,
  reservation_id    uuid not null,
  property_id       uuid not null,
  version           integer not null default 0, -- of the newest booking event that was read
  held_version      integer,                    -- null until booking.held
  allocated_version integer,                    -- the booking version that inventory committed; null until then
  rail              text,
  purpose           text,
  due               bigint,
  currency          text,
  expires_at        timestamptz,
  ended             text,                       -- null while the booking lives
  folio_id          uuid,
  folio_version     integer not null default 0,
  constraint bookings_pk primary key (tenant_id, reservation_id),
  constraint bookings_rail check (rail in ('card', 'paypal', 'mobile_money', 'cash', 'cash_pending')),
  constraint bookings_purpose check (purpose in ('booking', 'deposit', 'date_change', 'check_out', 'incidental')),
  constraint bookings_ended check (ended in ('cancelled', 'no_show')),
  constraint bookings_held check (held_version is null or
    (rail is not null and purpose is not null and due is not null and currency is not null))
);
select app.protect('payment_gateway.bookings');

-- One intent is one try to get one amount once. `refunded` counts what is given back or promised to be: the check
-- keeps refunds within the capture whatever the code does (R22).
create table payment_gateway.intents (
  tenant_id          uuid not null,
  id                 uuid not null,
  reservation_id     uuid not null,
  property_id        uuid not null,
  folio_id           uuid,
  purpose            text not null,
  cause              text,                    -- the fact it was made for; null: somebody asked for it by hand
  rail               text not null,
  provider           text,                    -- null for cash
  amount             bigint not null,
  currency           text not null,
  status             text not null,
  provider_reference text,                    -- what the provider calls the money, never card data
  redirect_url       text,                    -- the provider's own page, where the guest pays
  failure_reason     text,
  provider_code      text,
  captured           bigint not null default 0,
  refunded           bigint not null default 0,
  expires_at         timestamptz,
  next_check_at      timestamptz,             -- when the provider is asked next; null: nothing is open there
  checks             integer not null default 0,
  version            integer not null default 1,
  created_at         timestamptz not null,
  updated_at         timestamptz not null,
  constraint intents_pk primary key (tenant_id, id),
  constraint intents_purpose check (purpose in ('booking', 'deposit', 'date_change', 'check_out', 'incidental')),
  constraint intents_rail check (rail in ('card', 'paypal', 'mobile_money', 'cash', 'cash_pending')),
  constraint intents_status check (status in ('created', 'pending', 'unknown', 'promised', 'captured', 'failed',
    'cancelled')),
  constraint intents_amount check (amount > 0),
  constraint intents_currency check (currency ~ '^[A-Z]{3}$'),
  constraint intents_captured check (captured >= 0 and (captured > 0) = (status = 'captured')),
  constraint intents_refunded check (refunded between 0 and captured),
  constraint intents_failure_reason check (failure_reason in ('declined', 'insufficient_funds',
    'authentication_failed', 'gateway_error', 'expired', 'abandoned')),
  constraint intents_failure check ((failure_reason is not null) = (status = 'failed'))
);
-- R24: one open intent per reservation (the folio is its own, X-112) and purpose.
create unique index intents_one_open on payment_gateway.intents (tenant_id, reservation_id, purpose)
  where status in ('created', 'pending', 'unknown', 'promised');
create unique index intents_one_per_cause on payment_gateway.intents (tenant_id, cause) where cause is not null;
create index intents_by_reservation on payment_gateway.intents (tenant_id, reservation_id);
create index intents_due on payment_gateway.intents (next_check_at) where next_check_at is not null;
select app.protect('payment_gateway.intents', definer => true);

create table payment_gateway.refunds (
  tenant_id          uuid not null,
  id                 uuid not null,
  payment_id         uuid not null,
  amount             bigint not null,
  currency           text not null,
  reason             text not null,
  cause              text not null,           -- the fact or request it was made for: the same one refunds once
  status             text not null,
  provider_reference text,
  provider_code      text,
  next_check_at      timestamptz,             -- null: done, or waits for somebody at the desk
  checks             integer not null default 0,
  version            integer not null default 1,
  created_at         timestamptz not null,
  updated_at         timestamptz not null,
  constraint refunds_pk primary key (tenant_id, id),
  constraint refunds_one_per_cause unique (tenant_id, payment_id, cause),
  constraint refunds_amount check (amount > 0),
  constraint refunds_reason check (reason in ('cancellation', 'date_change', 'late_capture', 'overpayment',
    'service_recovery')),
  constraint refunds_status check (status in ('requested', 'unknown', 'at_desk', 'completed', 'failed'))
);
create index refunds_due on payment_gateway.refunds (next_check_at) where next_check_at is not null;
select app.protect('payment_gateway.refunds', definer => true);

-- Money that moved, from one account to another: in every currency all accounts together are always zero. Only grows.
create table payment_gateway.ledger (
  tenant_id          uuid not null,
  id                 uuid not null,
  kind               text not null,
  from_account       text not null,
  to_account         text not null,
  amount             bigint not null,
  currency           text not null,
  value_amount       bigint,                  -- what foreign notes were worth at that moment; later rates change nothing
  value_currency     text,
  property_id        uuid not null,
  reservation_id     uuid,
  payment_id         uuid,
  refund_id          uuid,
  shift_id           uuid,
  provider           text,
  provider_reference text,
  reason             text,
  business_date      date,                    -- of the drawer (R1); null for money at a provider, billing dates that
  occurred_at        timestamptz not null,
  recorded_by        text not null,
  constraint ledger_pk primary key (tenant_id, id),
  constraint ledger_kind check (kind in ('capture', 'refund', 'float', 'cash_in', 'cash_out', 'variance')),
  constraint ledger_amount check (amount > 0 and value_amount > 0),
  constraint ledger_currency check (currency ~ '^[A-Z]{3}$'),
  constraint ledger_accounts check (from_account <> to_account),
  constraint ledger_drawer check ((kind in ('float', 'cash_in', 'cash_out', 'variance')) <= (shift_id is not null)),
  constraint ledger_dated check (shift_id is null or business_date is not null),
  constraint ledger_variance_has_reason check (kind <> 'variance' or reason is not null)
);
-- Where webhook, browser and inquiry meet (R24): the second of them finds the line of the first.
create unique index ledger_one_capture on payment_gateway.ledger (tenant_id, payment_id) where kind = 'capture';
create unique index ledger_one_refund on payment_gateway.ledger (tenant_id, refund_id) where kind = 'refund';
create unique index ledger_one_per_reference on payment_gateway.ledger (tenant_id, provider, provider_reference, kind)
  where provider_reference is not null;
create index ledger_by_shift on payment_gateway.ledger (tenant_id, shift_id) where shift_id is not null;
select app.protect('payment_gateway.ledger');
select app.append_only('payment_gateway.ledger');

-- Every webhook once, by the provider's own event id. The body is not kept, only what it was.
create table payment_gateway.notices (
  tenant_id   uuid not null,
  provider    text not null,
  event_id    text not null,
  payment_id  uuid not null,
  says        text not null,
  body_sha256 text not null,
  received_at timestamptz not null,
  constraint notices_pk primary key (tenant_id, provider, event_id),
  constraint notices_says check (says in ('captured', 'refunded', 'changed'))
);
select app.protect('payment_gateway.notices');
select app.append_only('payment_gateway.notices');

-- What somebody in finance should know and no event says. Only grows.
create table payment_gateway.journal (
  tenant_id      uuid not null,
  id             uuid not null,
  entry          text not null,
  reservation_id uuid,
  payment_id     uuid,
  detail         jsonb not null,
  actor_type     text not null,
  actor_id       text not null,
  at             timestamptz not null,
  constraint journal_pk primary key (tenant_id, id),
  constraint journal_entry check (entry in ('refund.not_due', 'refund.failed', 'refund.beyond_captures',
    'capture.mismatch', 'capture.late', 'capture.partial_cash', 'nothing.due')),
  constraint journal_actor_type check (actor_type in ('user', 'system', 'service', 'api_key'))
);
select app.protect('payment_gateway.journal');
select app.append_only('payment_gateway.journal');

-- Shifts as staff-service tells them: a drawer belongs to one, and takes its business date from it (R1).
create table payment_gateway.shifts (
  tenant_id     uuid not null,
  shift_id      uuid not null,
  property_id   uuid not null,
  operator_id   uuid not null,
  business_date date not null,
  closed        boolean not null default false,
  constraint shifts_pk primary key (tenant_id, shift_id)
);
select app.protect('payment_gateway.shifts');

create table payment_gateway.drawers (
  tenant_id     uuid not null,
  shift_id      uuid not null,
  property_id   uuid not null,
  business_date date not null,
  status        text not null,
  opened_by     text not null,
  opened_at     timestamptz not null,
  counted_at    timestamptz,
  closed_at     timestamptz,
  version       integer not null default 1,
  constraint drawers_pk primary key (tenant_id, shift_id),
  constraint drawers_status check (status in ('open', 'counted', 'closed'))
);
select app.protect('payment_gateway.drawers');

-- Blind count, then what was expected (R25): `expected` exists only once somebody has counted.
create table payment_gateway.drawer_counts (
  tenant_id uuid not null,
  shift_id  uuid not null,
  currency  text not null,
  counted   bigint not null,
  expected  bigint not null,
  reason    text,
  constraint drawer_counts_pk primary key (tenant_id, shift_id, currency),
  constraint drawer_counts_counted check (counted >= 0)
);
select app.protect('payment_gateway.drawer_counts');

-- Which intents and refunds are due to be asked about, across tenants: names only, the work is done inside each tenant.
create function payment_gateway.due_checks(due_at timestamptz, most integer)
  returns table (tenant_id uuid, kind text, id uuid)
  language sql stable security definer
  set search_path = pg_catalog, pg_temp
as $$
  (select i.tenant_id, 'payment', i.id
   from payment_gateway.intents i
   where i.next_check_at <= due_at
   order by i.next_check_at
   limit most)
  union all
  (select r.tenant_id, 'refund', r.id
   from payment_gateway.refunds r
   where r.next_check_at <= due_at
   order by r.next_check_at
   limit most)
$$;
select app.allow_definer('payment_gateway.due_checks(timestamptz, integer)');

select app.add_idempotency('payment_gateway');
select jobs.admit('payment_gateway');
