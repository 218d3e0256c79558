-- why: folios as an append-only double-entry ledger, frozen nights, deposits, invoices without gaps (R1, R2, R20..R23, X-112..X-127).

-- What billing must know of a house: its hotel day, and what stands on its invoices. The day only moves forward (R1).
create table billing.houses (
  tenant_id     uuid not null,
  property_id   uuid not null,
  name          jsonb not null,
  city          jsonb not null,
  zone          text not null,
  currency      text not null,
  business_date date not null,
  version       integer not null,
  constraint houses_pk primary key (tenant_id, property_id)
);
select app.protect('billing.houses');

-- One folio per reservation (X-112). `prepared`: money came before the booking was confirmed, nobody has heard of it.
create table billing.folios (
  tenant_id       uuid not null,
  id              uuid not null,
  reservation_id  uuid not null,
  property_id     uuid not null,
  guest_id        uuid,                    -- null while it is prepared
  locale          text not null default 'en',
  currency        text not null,
  status          text not null,
  stage           text not null,
  rail            text,                    -- how the guest pays; null until the booking is confirmed
  quote_id        uuid,                    -- what its nights were sold with; a date change names the one before it
  booking_version integer not null default 0,
  delta_version   integer not null default 0,
  closable_from   date,                    -- of an ended booking: the hotel day on which nobody can undo it any more
  splits          jsonb not null,          -- who pays which part; the first is the guest's
  routes          jsonb not null default '{}', -- which split future lines of a kind go to
  occasion        text,                    -- why it is closed
  opened_on       date,
  closed_on       date,
  version         integer not null,
  created_at      timestamptz not null,
  updated_at      timestamptz not null,
  constraint folios_pk primary key (tenant_id, id),
  constraint folios_one_per_reservation unique (tenant_id, reservation_id),
  constraint folios_locale check (locale in ('en', 'ps', 'fa-AF')),
  constraint folios_currency check (currency ~ '^[A-Z]{3}$'),
  constraint folios_status check (status in ('prepared', 'open', 'closed')),
  constraint folios_stage check (stage in ('expected', 'in_house', 'leaving', 'left', 'cancelled', 'no_show')),
  constraint folios_rail check (rail in ('card', 'paypal', 'mobile_money', 'cash', 'cash_pending')),
  constraint folios_occasion check (occasion in ('check_out', 'late_settlement', 'cancellation', 'no_show')),
  constraint folios_opened check ((status = 'prepared') = (opened_on is null)),
  constraint folios_closed check ((status = 'closed') = (closed_on is not null) and
    (closed_on is null) = (occasion is null))
);
create index folios_by_property on billing.folios (tenant_id, property_id, stage) where status = 'open';
select app.protect('billing.folios');

-- A closed bill is frozen (R22), and no folio disappears.
create function billing.keep_folio() returns trigger
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
begin
  if tg_op = 'DELETE' then
    raise exception 'a folio is never removed' using errcode = '42501';
  end if;
  if old.status = 'closed' and (new.status, new.currency, new.closed_on, new.occasion, new.splits, new.routes)
     is distinct from (old.status, old.currency, old.closed_on, old.occasion, old.splits, old.routes) then
    raise exception 'folio % is closed', old.id using errcode = '42501';
  end if;
  return new;
end $$;
create trigger keep_folio before update or delete on billing.folios
  for each row execute function billing.keep_folio();

-- What happened, in order. `cause` names the thing charged, paid or given back: the same thing lands once, whatever
-- the code does. `net` and `tax` are what the guest owes more (less, when negative) of a charge.
create table billing.lines (
  tenant_id        uuid not null,
  id               uuid not null,
  folio_id         uuid not null,
  position         integer not null,       -- the folio's version after it
  kind             text not null,
  cause            text not null,
  split            smallint not null,
  net              bigint not null,
  tax              bigint not null,
  currency         text not null,
  source           jsonb,                  -- of a charge, as its event says it
  payment_id       uuid,
  refund_id        uuid,
  refund_reason    text,
  reversed_line_id uuid,
  text             text,
  business_date    date not null,
  occurred_at      timestamptz not null,
  recorded_by      text not null,
  constraint lines_pk primary key (tenant_id, id),
  constraint lines_once unique (tenant_id, folio_id, cause),
  constraint lines_in_order unique (tenant_id, folio_id, position),
  constraint lines_folio foreign key (tenant_id, folio_id) references billing.folios (tenant_id, id),
  constraint lines_kind check (kind in ('room_night', 'date_change', 'date_change_credit', 'consumption', 'fee',
    'service', 'reversal', 'deposit', 'deposit_applied', 'deposit_refunded', 'deposit_forfeited', 'payment', 'refund',
    'refund_settled', 'late_payment', 'late_refund', 'transfer')),
  constraint lines_refund_reason check (refund_reason in ('cancellation', 'date_change', 'late_capture',
    'overpayment', 'service_recovery')),
  constraint lines_currency check (currency ~ '^[A-Z]{3}$'),
  constraint lines_refund check ((kind in ('refund', 'refund_settled', 'late_refund')) = (refund_id is not null)),
  constraint lines_reversal check ((kind = 'reversal') = (reversed_line_id is not null))
);
-- R23: a deposit reaches one end.
create unique index lines_one_end on billing.lines (tenant_id, payment_id)
  where kind in ('deposit_applied', 'deposit_refunded', 'deposit_forfeited');
create unique index lines_one_capture on billing.lines (tenant_id, payment_id)
  where kind in ('deposit', 'payment', 'late_payment');
select app.protect('billing.lines');
select app.append_only('billing.lines');

-- The two or more sides of a line: a positive amount is a debit, a negative one a credit.
create table billing.entries (
  tenant_id uuid not null,
  line_id   uuid not null,
  position  smallint not null,
  folio_id  uuid not null,
  account   text not null,
  amount    bigint not null,
  currency  text not null,
  constraint entries_pk primary key (tenant_id, line_id, position),
  constraint entries_line foreign key (tenant_id, line_id) references billing.lines (tenant_id, id),
  constraint entries_amount check (amount <> 0),
  constraint entries_account check (account ~ '^(guest|unearned|unearned_tax):[1-9]$|^tax:[A-Z][A-Z0-9_]{0,19}$|^revenue:(rooms|fees|services)$|^money:(card|paypal|mobile_money|cash)$|^(deposits|refunds_due|suspense)$')
);
create index entries_by_folio on billing.entries (tenant_id, folio_id, account);
select app.protect('billing.entries');
select app.append_only('billing.entries');

-- Debits equal credits in every line, so in every prefix of the ledger, per tenant and currency.
create function billing.assert_balanced() returns trigger
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
begin
  if (select coalesce(sum(e.amount), 0) <> 0 or count(distinct e.currency) > 1
      from billing.entries e
      where e.tenant_id = new.tenant_id and e.line_id = new.line_id) then
    raise exception 'debits and credits of line % differ', new.line_id using errcode = '23514';
  end if;
  return null;
end $$;
create constraint trigger assert_balanced after insert on billing.entries
  deferrable initially deferred
  for each row execute function billing.assert_balanced();

create function billing.assert_open() returns trigger
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
begin
  if exists (select from billing.folios f
             where f.tenant_id = new.tenant_id and f.id = new.folio_id and f.status = 'closed') then
    raise exception 'folio % is closed: nothing is posted to it', new.folio_id using errcode = '42501';
  end if;
  return new;
end $$;
create trigger assert_open before insert on billing.entries
  for each row when (new.account like 'guest:%') execute function billing.assert_open();

-- R21: one frozen row per room and night. Later rates change none of them; a date change replaces those not slept.
create table billing.nights (
  tenant_id      uuid not null,
  folio_id       uuid not null,
  booked_room_id uuid not null,
  night          date not null,
  room           smallint not null,        -- its place in the booking: how a quote without room ids names it
  net            bigint not null,
  tax            bigint not null,
  taxes          jsonb,                    -- the tax by its codes; null until pricing was asked
  posted         boolean not null default false,
  constraint nights_pk primary key (tenant_id, folio_id, booked_room_id, night),
  constraint nights_price check (net >= 0 and tax >= 0)
);
create index nights_due on billing.nights (tenant_id, folio_id, night) where not posted;
select app.protect('billing.nights');

-- Money as payment-gateway-service tells it. `deposit`: money of a booking before its stay, a liability (R23).
create table billing.payments (
  tenant_id  uuid not null,
  id         uuid not null,
  folio_id   uuid not null,
  purpose    text not null,
  rail       text not null,
  state      text not null,
  amount     bigint not null,
  refunded   bigint not null default 0,
  deposit    text,                         -- null: it is no deposit
  version    integer not null,             -- of the payment's newest event that was read
  created_at timestamptz not null,
  constraint payments_pk primary key (tenant_id, id),
  constraint payments_purpose check (purpose in ('booking', 'deposit', 'date_change', 'check_out', 'incidental')),
  constraint payments_rail check (rail in ('card', 'paypal', 'mobile_money', 'cash', 'cash_pending')),
  constraint payments_state check (state in ('asked', 'promised', 'captured', 'over')),
  constraint payments_deposit check (deposit in ('held', 'applied', 'refunded', 'forfeited')),
  constraint payments_amount check (amount > 0),
  constraint payments_refunded check (refunded between 0 and case when state = 'captured' then amount else 0 end)
);
create index payments_by_folio on billing.payments (tenant_id, folio_id);
select app.protect('billing.payments');

-- Refunds that were posted because the stay got cheaper and are not with the guest yet (X-126).
create table billing.promised_refunds (
  tenant_id  uuid not null,
  id         uuid not null,
  folio_id   uuid not null,
  payment_id uuid not null,
  amount     bigint not null,
  settled_by uuid,                         -- the refund that arrived; another one than promised after a retry
  constraint promised_refunds_pk primary key (tenant_id, id),
  constraint promised_refunds_amount check (amount > 0)
);
create index promised_refunds_open on billing.promised_refunds (tenant_id, payment_id) where settled_by is null;
select app.protect('billing.promised_refunds');

-- What was asked of payment-gateway-service at a check-out, and what it said (X-113).
create table billing.collections (
  tenant_id  uuid not null,
  id         uuid not null,
  folio_id   uuid not null,
  amount     bigint not null,
  rail       text not null,
  outcome    text not null,
  payment_id uuid,
  at         timestamptz not null,
  constraint collections_pk primary key (tenant_id, id),
  constraint collections_outcome check (outcome in ('asked', 'refused'))
);
create index collections_by_folio on billing.collections (tenant_id, folio_id);
select app.protect('billing.collections');
select app.append_only('billing.collections');

-- X-127: what came too late for its folio, for somebody at the desk. Never dropped, never posted to a closed folio.
create table billing.late_postings (
  tenant_id      uuid not null,
  id             uuid not null,
  property_id    uuid not null,
  reservation_id uuid not null,
  folio_id       uuid,                     -- null: no folio was ever opened
  kind           text not null,
  reference      uuid not null,            -- the consumption, price delta, payment or refund
  reason         text not null,
  net            bigint not null,
  tax            bigint not null,
  currency       text not null,
  text           text,
  status         text not null default 'waiting',
  note           text,
  resolved_by    text,
  resolved_at    timestamptz,
  arrived_at     timestamptz not null,
  constraint late_postings_pk primary key (tenant_id, id),
  constraint late_postings_once unique (tenant_id, kind, reference),
  constraint late_postings_kind check (kind in ('consumption', 'date_change', 'payment', 'refund')),
  constraint late_postings_reason check (reason in ('folio_closed', 'no_folio', 'other_currency')),
  constraint late_postings_status check (status in ('waiting', 'paid_otherwise', 'written_off', 'taken_back')),
  constraint late_postings_resolved check ((status = 'waiting') = (resolved_at is null))
);
create index late_postings_waiting on billing.late_postings (tenant_id, property_id) where status = 'waiting';
select app.protect('billing.late_postings');

select app.add_idempotency('billing');
select jobs.admit('billing');
