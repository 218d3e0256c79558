-- why: what happened is written down in one chain per tenant, put under a root each day, and shown to whoever asks for proof.

-- What is to be recorded and has no place in the chain yet. Reactions only insert here, so that no event waits for the
-- chain of its tenant; a job moves the rows on within seconds.
create table audit.arrivals (
  tenant_id    uuid not null,
  event_id     uuid not null,
  action       text not null,
  about_type   text not null,
  about_id     text not null,
  actor_type   text not null,
  actor_id     text not null,
  occurred_at  timestamptz not null,
  payload_hash text not null,
  constraint arrivals_pk primary key (tenant_id, event_id),
  constraint arrivals_actor check (actor_type in ('user', 'system', 'service', 'api_key'))
);
create index arrivals_in_order on audit.arrivals (tenant_id, occurred_at, event_id);

-- The end of each chain: its row is the lock under which the chain grows, and tells when entries are cut off its end.
create table audit.chains (
  tenant_id   uuid not null,
  position    bigint not null default 0,
  hash        text,
  recorded_at timestamptz,
  sealed_day  date, -- the last day under a root
  open_day    date, -- the first day with entries and no root
  constraint chains_pk primary key (tenant_id),
  constraint chains_end check ((position = 0) = (hash is null) and (position = 0) = (recorded_at is null))
);
create index chains_to_seal on audit.chains (open_day) where open_day is not null;

-- The chain itself. By tenant (TEN-17): the indexes of a small house stay small beside those of a large one.
create table audit.entries (
  tenant_id     uuid not null,
  position      bigint not null,
  id            uuid not null,
  action        text not null,
  about_type    text not null,
  about_id      text not null,
  actor_type    text not null,
  actor_id      text not null,
  event_id      uuid,
  payload_hash  text,
  note_hash     text,
  occurred_at   timestamptz not null,
  recorded_at   timestamptz not null,
  day           date not null,
  previous_hash text,
  hash          text not null,
  constraint entries_pk primary key (tenant_id, position),
  constraint entries_id unique (tenant_id, id),
  constraint entries_once_per_event unique (tenant_id, event_id),
  constraint entries_position check (position >= 1 and (position = 1) = (previous_hash is null)),
  constraint entries_actor check (actor_type in ('user', 'system', 'service', 'api_key')),
  constraint entries_source check ((event_id is null) = (payload_hash is null)),
  constraint entries_day check (day = (recorded_at at time zone 'UTC')::date)
) partition by hash (tenant_id);
create index entries_by_about on audit.entries (tenant_id, about_id, position);
create index entries_by_actor on audit.entries (tenant_id, actor_id, position);
create index entries_by_action on audit.entries (tenant_id, action, position);
create index entries_by_day on audit.entries (tenant_id, day, position);

select app.protect('audit.entries');

do $$
begin
  for n in 0..7 loop
    execute format('create table audit.%I partition of audit.entries for values with (modulus 8, remainder %s)',
      'entries_' || n, n);
    perform app.protect(format('audit.%I', 'entries_' || n)::regclass);
    execute format('revoke all on audit.%I from svc_audit', 'entries_' || n); -- through audit.entries only
    -- A partition inherits the trigger that refuses changes of rows, but not the one that refuses to be emptied.
    execute format('create trigger append_only_truncate before truncate on audit.%I
                    for each statement execute function app.refuse_change()', 'entries_' || n);
  end loop;
end $$;
select app.append_only('audit.entries');
insert into app.append_only_tables
select format('audit.%I', 'entries_' || n) from generate_series(0, 7) n;

-- What somebody wrote into an entry. Kept apart, for a text may name a person: it can be forgotten, the chain stays.
create table audit.notes (
  tenant_id uuid not null,
  entry_id  uuid not null,
  salt      text not null,
  text      text not null,
  constraint notes_pk primary key (tenant_id, entry_id),
  constraint notes_text check (char_length(text) between 1 and 2000)
);

-- The root over the entries of a day.
create table audit.roots (
  tenant_id          uuid not null,
  day                date not null,
  first_position     bigint not null,
  last_position      bigint not null,
  root_hash          text not null,
  previous_root_hash text,
  sealed_at          timestamptz not null,
  constraint roots_pk primary key (tenant_id, day),
  constraint roots_entries check (first_position <= last_position)
);

-- Where else a root is kept.
create table audit.anchors (
  tenant_id   uuid not null,
  id          uuid not null,
  day         date not null,
  medium      text not null,
  reference   text not null,
  anchored_at timestamptz not null,
  constraint anchors_pk primary key (tenant_id, id),
  constraint anchors_once unique (tenant_id, day, medium),
  constraint anchors_medium check (medium in ('timestamp_authority', 'public_ledger', 'write_once_storage'))
);

-- The medium of an installation that has no other: roots in a table that only grows.
create table audit.kept_roots (
  tenant_id uuid not null,
  day       date not null,
  record    text not null,
  constraint kept_roots_pk primary key (tenant_id, day)
);

-- Chains that somebody wants to be looked through.
create table audit.verifications (
  tenant_id     uuid not null,
  id            uuid not null,
  status        text not null,
  asked_by      text not null,
  asked_at      timestamptz not null,
  last_position bigint not null,
  checked_to    bigint not null default 0,
  roots_checked integer not null default 0,
  findings      jsonb not null default '[]',
  ended_at      timestamptz,
  constraint verifications_pk primary key (tenant_id, id),
  constraint verifications_status check (status in ('waiting', 'running', 'intact', 'broken'))
);
create index verifications_latest on audit.verifications (tenant_id, asked_at);

select app.protect('audit.arrivals', definer => true);
select app.protect('audit.chains', definer => true);
select app.protect('audit.notes');
select app.protect('audit.roots', definer => true);
select app.append_only('audit.roots');
select app.protect('audit.anchors', definer => true);
select app.append_only('audit.anchors');
select app.protect('audit.kept_roots');
select app.append_only('audit.kept_roots');
select app.protect('audit.verifications');
select app.add_idempotency('audit');
select jobs.admit('audit');

-- For jobs that go round all tenants: which ones have something to do. Tenant ids and nothing else.
create function audit.tenants_with_arrivals() returns setof uuid
  language sql stable security definer
  set search_path = pg_catalog, pg_temp
as $$
  select distinct tenant_id from audit.arrivals
$$;
select app.allow_definer('audit.tenants_with_arrivals()');

create function audit.tenants_to_anchor(today date, media text[]) returns setof uuid
  language sql stable security definer
  set search_path = pg_catalog, pg_temp
as $$
  select tenant_id from audit.chains where open_day < today
  union
  select r.tenant_id
  from audit.roots r
  cross join unnest(media) m (medium)
  where not exists (
    select from audit.anchors a
    where a.tenant_id = r.tenant_id and a.day = r.day and a.medium = m.medium)
$$;
select app.allow_definer('audit.tenants_to_anchor(date, text[])');
