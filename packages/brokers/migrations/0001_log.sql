-- why: the default broker: an append-only log, cursors that are fenced, and parked keys, all in PostgreSQL.

-- One number for the whole log. A sequence and not a counter row: it leaves no dead row versions behind, so appending
-- stays as fast while somebody holds an old snapshot open (docs/decisions/0010). Holes do not matter: whoever appends
-- holds append_lock() until commit, so numbers become visible in their order.
create sequence brokers.log_off;

create function brokers.append_lock() returns bigint
  language sql immutable parallel safe
  return 7310021;

-- 16 shards for ever: a key must not move while messages of it are on their way.
create function brokers.shard_of(ordering_key text) returns smallint
  language sql immutable parallel safe
  return (hashtextextended(ordering_key, 0) & 15)::smallint;

create table brokers.log (
  day          date not null, -- never goes back, whatever the clock does: see log_today()
  off          bigint not null,
  shard        smallint not null,
  topic        text not null,
  ordering_key text not null,
  event_id     uuid not null,
  tenant_id    uuid not null,
  envelope     json not null,
  attributes   json not null,
  source       text not null, -- schema of the outbox it came from
  source_seq   bigint, -- its number there; null for what did not come from an outbox
  enqueued_at  timestamptz not null,
  published_at timestamptz not null default clock_timestamp()
) partition by range (day);
create index log_by_off on brokers.log (off); -- no unique key: the sequence gives every number once
select app.protect('brokers.log', maintenance => true, relay => true);
select app.append_only('brokers.log'); -- ENV-50

-- The newest day in use. One row, changed once a day.
create table brokers.log_day (
  one boolean not null default true,
  day date not null,
  constraint log_day_pk primary key (one),
  constraint log_day_one check (one)
);
insert into brokers.log_day (day) values ((now() at time zone 'utc')::date);

create function brokers.partition_name(of_day date) returns text
  language sql immutable parallel safe
  return 'log_' || to_char(of_day, 'YYYYMMDD');

-- Partitions are made a few days ahead, by the relay when it starts and every hour.
create function brokers.make_partitions(days_ahead integer) returns integer
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  first_day date := (select greatest(d.day, (now() at time zone 'utc')::date) from brokers.log_day d);
  wanted date;
  made integer := 0;
begin
  perform pg_advisory_xact_lock(brokers.append_lock());
  for wanted in select first_day + n from generate_series(0, days_ahead) n loop
    if to_regclass('brokers.' || brokers.partition_name(wanted)) is null then
      execute format('create table brokers.%I partition of brokers.log for values from (%L) to (%L)',
        brokers.partition_name(wanted), wanted, wanted + 1);
      perform app.protect(('brokers.' || brokers.partition_name(wanted))::regclass);
      execute format('revoke all on brokers.%I from svc_brokers', brokers.partition_name(wanted)); -- through the log only
      made := made + 1;
    end if;
  end loop;
  return made;
end $$;
select app.allow_definer('brokers.make_partitions(integer)');
grant execute on function brokers.make_partitions(integer) to relay, maintenance;

-- The day new rows belong to; call it with append_lock() held.
create function brokers.log_today() returns date
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  newest date := (select d.day from brokers.log_day d);
  today date := (clock_timestamp() at time zone 'utc')::date;
begin
  if today > newest then
    perform brokers.make_partitions(2);
    update brokers.log_day set day = today;
    return today;
  end if;
  return newest;
end $$;
select app.allow_definer('brokers.log_today()');
grant execute on function brokers.log_today() to relay, maintenance;

-- A process that consumes. Alive while its heartbeat is fresh and, unless a pooler is in between, while the session
-- that holds its lock lives: a killed process is noticed at once, a frozen one after the lease.
create table brokers.member (
  id            text not null,
  lock_key      integer,
  subscriptions text[] not null,
  heartbeat_at  timestamptz not null,
  constraint member_pk primary key (id)
) with (fillfactor = 50);

-- How far a service has read a shard, and who may say so.
create table brokers.cursor (
  subscription text not null,
  shard        smallint not null,
  off          bigint not null,
  day          date not null,
  owner        text,
  epoch        bigint not null default 0, -- the fencing number: rises with every change of hands
  generation   integer not null default 0, -- rises with every seek
  moved_at     timestamptz not null default now(),
  constraint cursor_pk primary key (subscription, shard),
  constraint cursor_shard check (shard between 0 and 15)
) with (fillfactor = 30);

-- The fencing numbers once more, apart from the positions. Every transaction of a consumer reads them, and a cursor that
-- moves twice a second has 3,600 row versions to read past when somebody has held a snapshot for half an hour (measured:
-- the proof for 16 shards took 20 ms then, and 1 ms at the start). This one changes only when a shard changes hands.
create table brokers.fence (
  subscription text not null,
  shard        smallint not null,
  epoch        bigint not null,
  constraint fence_pk primary key (subscription, shard)
);

create function brokers.copy_fence() returns trigger
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
begin
  insert into brokers.fence (subscription, shard, epoch)
  values (new.subscription, new.shard, new.epoch)
  on conflict (subscription, shard) do update set epoch = excluded.epoch;
  return null;
end $$;
create trigger cursor_fence after insert or update of epoch on brokers.cursor
  for each row execute function brokers.copy_fence();

-- A key whose oldest message fails. Everything else of its shard flows past it.
create table brokers.parked_key (
  subscription    text not null,
  park_key        text not null, -- the ordering key; with the offset behind it where order does not matter
  tenant_id       uuid not null,
  shard           smallint not null,
  state           text not null default 'retrying',
  attempts        integer not null,
  retry_at        timestamptz not null,
  last_error      text not null,
  first_failed_at timestamptz not null default now(),
  dead_at         timestamptz,
  constraint parked_key_pk primary key (tenant_id, subscription, park_key),
  constraint parked_key_state check (state in ('retrying', 'dead'))
);
create index parked_key_due on brokers.parked_key (subscription, retry_at) where state = 'retrying';
create index parked_key_dead on brokers.parked_key (subscription) where state = 'dead';
select app.protect('brokers.parked_key', maintenance => true, relay => true);

-- The messages of parked keys, whole: the log may be dropped behind them.
create table brokers.parked_message (
  subscription text not null,
  park_key     text not null,
  off          bigint not null,
  shard        smallint not null,
  topic        text not null,
  ordering_key text not null,
  event_id     uuid not null,
  tenant_id    uuid not null,
  envelope     json not null,
  attributes   json not null,
  published_at timestamptz not null,
  constraint parked_message_pk primary key (tenant_id, subscription, park_key, off)
);
create index parked_message_waiting on brokers.parked_message (subscription); -- how many wait, for the metrics
select app.protect('brokers.parked_message', maintenance => true, relay => true);

-- Dead letters that somebody took out for good (DLQ-16), or skipped.
create table brokers.settled_letter (
  like brokers.parked_message,
  last_error text not null,
  attempts   integer not null,
  settled_at timestamptz not null default now(),
  settled_by text not null,
  how        text not null,
  reason     text not null,
  constraint settled_letter_pk primary key (tenant_id, subscription, off, settled_at),
  constraint settled_letter_how check (how in ('skipped', 'quarantined'))
);
select app.protect('brokers.settled_letter', maintenance => true, relay => true);

-- Who replayed, skipped, quarantined or moved what (DLQ-25, safety rule 28).
create table brokers.operation (
  id      uuid not null default gen_random_uuid(),
  at      timestamptz not null default now(),
  actor   text not null,
  action  text not null,
  reason  text not null,
  detail  jsonb not null,
  constraint operation_pk primary key (id)
);
grant select, insert on brokers.operation to relay;

grant usage on schema brokers to relay, maintenance;
grant usage on sequence brokers.log_off to relay;
grant select on brokers.log_day to relay, maintenance;
grant select, insert, update, delete on brokers.member, brokers.cursor to relay;
grant select, insert, update on brokers.fence to relay;
grant select on brokers.cursor to maintenance;

-- Drops days that are older than `keep` and that every subscription has read. Returns how many were dropped.
create function brokers.drop_partitions(keep interval) returns integer
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  old_day date;
  dropped integer := 0;
  oldest_needed date := least(
    (select min(c.day) from brokers.cursor c),
    (clock_timestamp() at time zone 'utc' - keep)::date);
begin
  for old_day in
    select to_date(right(c.relname, 8), 'YYYYMMDD')
    from pg_catalog.pg_inherits i
    join pg_catalog.pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'brokers.log'::regclass
    order by 1
  loop
    exit when old_day >= oldest_needed;
    execute format('drop table brokers.%I', brokers.partition_name(old_day));
    dropped := dropped + 1;
  end loop;
  return dropped;
end $$;
select app.allow_definer('brokers.drop_partitions(interval)');
grant execute on function brokers.drop_partitions(interval) to maintenance, relay;

select brokers.make_partitions(3);

-- The broker works as relay. The role that every schema gets has nothing to do here.
revoke all on all tables in schema brokers from svc_brokers;
