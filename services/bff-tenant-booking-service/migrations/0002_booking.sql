-- why: what the booking site promises outlives the hot store: which draft became which booking, how drafts ended, which handoffs arrived.

select app.add_idempotency('bff_tenant_booking'); -- TB-32, X-099..X-104
select jobs.admit('bff_tenant_booking');

-- The judge of "a draft is booked once": claimed before anybody is asked for rooms, so two tabs, a double click or a
-- lost reply find the same row. No e-mail, no phone number: hashes only (TB-58).
create table bff_tenant_booking.draft_bookings (
  tenant_id        uuid not null,
  draft_id         text not null,
  session_id       text not null,
  reservation_id   text,
  code             text,
  state            text not null,
  facts            jsonb not null, -- the draft as it was, with its frozen price
  rail             text not null,
  guest_email_hash text,
  guest_phone_hash text not null,
  correlation_id   text not null, -- of the request that began the saga (TB-60)
  claimed_until    timestamptz not null, -- who has not finished by then may be overtaken
  attempts         integer not null default 1,
  created_at       timestamptz not null,
  updated_at       timestamptz not null,
  constraint draft_bookings_pk primary key (tenant_id, draft_id),
  constraint draft_bookings_state check (state in ('confirming', 'converted', 'failed'))
);
create unique index draft_bookings_reservation on bff_tenant_booking.draft_bookings (tenant_id, reservation_id)
  where reservation_id is not null;
create index draft_bookings_session on bff_tenant_booking.draft_bookings (tenant_id, session_id);
create index draft_bookings_unsettled on bff_tenant_booking.draft_bookings (updated_at) where state = 'confirming';
select app.protect('bff_tenant_booking.draft_bookings', maintenance => true, definer => true);

-- TB-33, X-145: how a draft ended, once.
create table bff_tenant_booking.booking_draft_snapshots (
  id                 uuid not null default gen_random_uuid(),
  draft_id           text not null,
  tenant_id          uuid not null,
  session_id         text not null,
  reservation_id     text,
  property_id        text, -- canonical uuid text (X-033)
  room_type_id       text,
  rate_plan_id       text,
  final_state        text not null,
  created_at         timestamptz not null,
  finalized_at       timestamptz not null default now(),
  total_minor        bigint,
  currency           text,
  guest_email_hash   text,
  guest_phone_hash   text,
  marketing          jsonb,
  flow_state_history jsonb not null default '[]',
  error_trail        jsonb not null default '[]',
  payment_method     text,
  payment_provider   text,
  device_class       text,
  locale             text,
  display_currency   text,
  constraint booking_draft_snapshots_pk primary key (tenant_id, id),
  constraint booking_draft_snapshots_once unique (tenant_id, draft_id),
  constraint booking_draft_snapshots_final_state check (final_state in ('converted', 'abandoned', 'failed'))
);
create index ix_drafts_tenant_finalized on bff_tenant_booking.booking_draft_snapshots (tenant_id, finalized_at desc);
create index ix_drafts_state on bff_tenant_booking.booking_draft_snapshots (final_state, finalized_at desc);
create index ix_drafts_session on bff_tenant_booking.booking_draft_snapshots (session_id, finalized_at desc);
select app.protect('bff_tenant_booking.booking_draft_snapshots', maintenance => true);
alter policy tenant_isolation on bff_tenant_booking.booking_draft_snapshots rename to booking_draft_snapshots_tenant_isolation;

-- TB-34, X-146: a signature is seen once per tenant, and consumed once.
create table bff_tenant_booking.handoff_arrival_log (
  id                         text not null,
  tenant_id                  uuid not null,
  consumer_session_id        text not null,
  property_id                text not null,
  received_at                timestamptz not null default now(),
  expires_at                 timestamptz not null,
  consumed                   boolean not null default false,
  consumed_at                timestamptz,
  payload                    jsonb not null,
  hmac_signature_fingerprint text not null,
  booking_draft_id           text,
  signing_key_id             text not null,
  remote_ip_hash             text not null,
  user_agent_class           text not null,
  constraint handoff_arrival_log_pk primary key (tenant_id, id),
  constraint handoff_arrival_log_once unique (tenant_id, hmac_signature_fingerprint)
);
create index ix_handoff_tenant_received on bff_tenant_booking.handoff_arrival_log (tenant_id, received_at desc);
create index ix_handoff_consumer_session on bff_tenant_booking.handoff_arrival_log (consumer_session_id);
create index ix_handoff_consumed on bff_tenant_booking.handoff_arrival_log (consumed, expires_at);
select app.protect('bff_tenant_booking.handoff_arrival_log', maintenance => true);
alter policy tenant_isolation on bff_tenant_booking.handoff_arrival_log rename to handoff_arrival_log_tenant_isolation;

-- Whose bookings nobody has settled, across tenants: nothing but ids leaves this function.
create function bff_tenant_booking.unsettled_drafts(before timestamptz, most integer)
  returns table (tenant_id uuid, draft_id text)
  language sql stable security definer
  set search_path = pg_catalog, pg_temp
as $$
  select d.tenant_id, d.draft_id
  from bff_tenant_booking.draft_bookings d
  where d.state = 'confirming' and d.updated_at < before
  order by d.updated_at
  limit most
$$;
select app.allow_definer('bff_tenant_booking.unsettled_drafts(timestamptz, integer)');
