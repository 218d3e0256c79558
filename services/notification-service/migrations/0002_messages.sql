-- why: what is written to guests, over which channel, and whether it arrived (EVT-63..65, X-117, X-122, X-124, X-130).

-- One fact that a guest is told about. Holds ids and business facts, nobody's name or address. `cause` is what makes a
-- replay of history harmless: the same fact is one letter, however often it arrives.
create table notification.letters (
  tenant_id           uuid not null,
  id                  uuid not null,
  cause               text not null,
  template            text not null,
  reservation_id      uuid not null,
  property_id         uuid not null,
  reservation_version integer,                 -- of the booking the fact is about; null: not about its dates
  facts               jsonb not null,
  wanted_channel      text,                    -- null: whatever the house and the guest have
  state               text not null,
  problem             text,                    -- why it was dropped, or why it is still waiting
  tries               integer not null default 0,
  next_try_at         timestamptz,             -- null: written or dropped
  occurred_at         timestamptz not null,
  expires_at          timestamptz not null,    -- what is not written by then is of no use
  created_at          timestamptz not null,
  constraint letters_pk primary key (tenant_id, id),
  constraint letters_one_per_cause unique (tenant_id, cause),
  constraint letters_template check (template in ('booking_confirmed', 'hold_expired', 'payment_failed',
    'booking_cancelled', 'booking_modified', 'dates_changed', 'dates_unavailable', 'key_ready', 'welcome', 'receipt',
    'stay_survey', 'staff_alert')),
  constraint letters_wanted_channel check (wanted_channel in ('email', 'sms', 'whatsapp', 'printed')),
  constraint letters_state check (state in ('waiting', 'written', 'dropped')),
  constraint letters_problem check (problem in ('not_answered', 'unknown_booking', 'expired', 'superseded',
    'surveys_off', 'no_channel_left')),
  constraint letters_due check ((state = 'waiting') = (next_try_at is not null))
);
create index letters_by_reservation on notification.letters (tenant_id, reservation_id);
create index letters_due_now on notification.letters (next_try_at) where next_try_at is not null;
select app.protect('notification.letters', definer => true);

-- One text to one person over one channel. The only place of the platform outside reservation-service that holds
-- an address, and it forgets it: address and texts are emptied after the house's retention time.
create table notification.messages (
  tenant_id          uuid not null,
  id                 uuid not null,
  letter_id          uuid not null,
  reservation_id     uuid not null,
  property_id        uuid not null,
  guest_id           uuid not null,
  template           text not null,
  channel            text not null,
  locale             text not null,
  status             text not null,
  address            text,
  address_hash       text,                     -- keyed: finds the address again without saying it
  shown_address      text,                     -- z…@example.com
  sender_name        text,
  reply_to           text,
  subject            text,
  body               text,
  html               text,
  provider           text,                     -- null: no channel of the house reaches this guest
  provider_reference text,
  reason             text,
  is_permanent       boolean not null default false,
  attempt            integer not null default 1, -- goes up with every definite no
  calls              integer not null default 0, -- how often the provider was called, answered or not
  next_try_at        timestamptz,              -- null: nothing is left to do
  expires_at         timestamptz not null,
  version            integer not null default 1,
  created_at         timestamptz not null,
  dispatched_at      timestamptz,
  delivered_at       timestamptz,
  bounced_at         timestamptz,
  purged_at          timestamptz,
  constraint messages_pk primary key (tenant_id, id),
  constraint messages_one_per_channel unique (tenant_id, letter_id, channel),
  constraint messages_template check (template in ('booking_confirmed', 'hold_expired', 'payment_failed',
    'booking_cancelled', 'booking_modified', 'dates_changed', 'dates_unavailable', 'key_ready', 'welcome', 'receipt',
    'stay_survey', 'staff_alert')),
  constraint messages_channel check (channel in ('email', 'sms', 'whatsapp', 'printed')),
  constraint messages_locale check (locale in ('en', 'ps', 'fa-AF')),
  constraint messages_status check (status in ('queued', 'sending', 'dispatched', 'delivered', 'bounced',
    'unreachable')),
  constraint messages_reason check (reason in ('unknown_address', 'mailbox_full', 'blocked', 'opted_out', 'expired',
    'provider_error')),
  constraint messages_purged check (purged_at is null or coalesce(address, subject, body, html) is null)
);
create index messages_by_reservation on notification.messages (tenant_id, reservation_id);
create index messages_due_now on notification.messages (next_try_at) where next_try_at is not null;
create index messages_with_text on notification.messages (created_at) where purged_at is null;
select app.protect('notification.messages', definer => true);

-- Every receipt of a provider once, by its own event id. What it said of whom is in the message, the body is not kept.
create table notification.receipts (
  tenant_id   uuid not null,
  provider    text not null,
  event_id    text not null,
  message_id  uuid not null,
  says        text not null,
  received_at timestamptz not null,
  constraint receipts_pk primary key (tenant_id, provider, event_id),
  constraint receipts_says check (says in ('accepted', 'delivered', 'refused'))
);
select app.protect('notification.receipts');
select app.append_only('notification.receipts');

-- A house's own words for a template; without a row ours are used.
create table notification.template_texts (
  tenant_id  uuid not null,
  template   text not null,
  locale     text not null,
  subject    text not null,
  body       text not null,
  short      text not null,
  version    integer not null default 1,
  updated_by text not null,
  updated_at timestamptz not null,
  constraint template_texts_pk primary key (tenant_id, template, locale),
  constraint template_texts_template check (template in ('booking_confirmed', 'hold_expired', 'payment_failed',
    'booking_cancelled', 'booking_modified', 'dates_changed', 'dates_unavailable', 'key_ready', 'welcome', 'receipt',
    'stay_survey', 'staff_alert')),
  constraint template_texts_locale check (locale in ('en', 'ps', 'fa-AF'))
);
select app.protect('notification.template_texts');

create table notification.settings (
  tenant_id      uuid not null,
  sender_name    text,                         -- null: the name of the house in the guest's language
  reply_to       text,
  email          text not null,
  sms            text not null,
  whatsapp       text not null,
  surveys        boolean not null,
  quiet_from     text not null,                -- on the clock of the house: no surveys from here
  quiet_until    text not null,                -- to here
  retention_days integer not null,
  version        integer not null default 1,
  updated_at     timestamptz not null,
  constraint settings_pk primary key (tenant_id),
  constraint settings_email check (email in ('always', 'off')),
  constraint settings_sms check (sms in ('always', 'without_email', 'off')),
  constraint settings_whatsapp check (whatsapp in ('always', 'without_email', 'off')),
  constraint settings_retention_days check (retention_days between 1 and 400)
);
select app.protect('notification.settings', definer => true);

-- Addresses nobody writes to any more, by their keyed hash: whoever reads this list learns no address.
create table notification.suppressions (
  tenant_id    uuid not null,
  channel      text not null,
  address_hash text not null,
  scope        text not null,
  source       text not null,
  since        timestamptz not null,
  constraint suppressions_pk primary key (tenant_id, channel, address_hash),
  constraint suppressions_channel check (channel in ('email', 'sms', 'whatsapp', 'printed')),
  constraint suppressions_scope check (scope in ('surveys', 'all')),
  constraint suppressions_source check (source in ('staff', 'bounce', 'provider'))
);
select app.protect('notification.suppressions');

-- When a tenant's next ordinary message may leave: a flood is spread over time, and nobody else waits for it.
create table notification.pace (
  tenant_id uuid not null,
  next_at   timestamptz not null,
  constraint pace_pk primary key (tenant_id)
);
select app.protect('notification.pace');

-- Letters and messages whose time has come, across tenants: names only, the work is done inside each tenant.
create function notification.due(due_at timestamptz, most integer)
  returns table (tenant_id uuid, kind text, id uuid)
  language sql stable security definer
  set search_path = pg_catalog, pg_temp
as $$
  (select l.tenant_id, 'letter', l.id
   from notification.letters l
   where l.next_try_at <= due_at
   order by l.next_try_at
   limit most)
  union all
  (select m.tenant_id, 'message', m.id
   from notification.messages m
   where m.next_try_at <= due_at
   order by m.next_try_at
   limit most)
$$;
select app.allow_definer('notification.due(timestamptz, integer)');

-- Tenants with texts that are older than they keep them.
create function notification.with_old_texts(at timestamptz, default_days integer, most integer)
  returns table (tenant_id uuid, before timestamptz)
  language sql stable security definer
  set search_path = pg_catalog, pg_temp
as $$
  select m.tenant_id, at - make_interval(days => max(coalesce(s.retention_days, default_days)))
  from notification.messages m
  left join notification.settings s on s.tenant_id = m.tenant_id
  where m.purged_at is null
    and m.next_try_at is null
    and m.created_at < at - make_interval(days => coalesce(s.retention_days, default_days))
  group by m.tenant_id
  limit most
$$;
select app.allow_definer('notification.with_old_texts(timestamptz, integer, integer)');

select app.add_idempotency('notification');
select jobs.admit('notification');
