-- why: a page walked over the log until it was full, however much there was for others: past the statement's time limit it
-- never arrived. And a day was made or dropped only when nobody looked at the log: everybody else queued behind that.

-- Looks at 100,000 offsets at most; "end" is how far it looked where the page is not full. The day is that of the
-- beginning then: it only saves looking into older partitions. Everything else is as 0002 and 0003 say.
create or replace function brokers.read_page(from_day date, from_off bigint, most integer, of_topics text[], without uuid[])
  returns table (end_off float8, end_day date, off float8, day date, shard smallint, topic text, ordering_key text,
                 event_id uuid, tenant_id uuid, attributes json, enqueued_at timestamptz, published_at timestamptz,
                 envelope text)
  language plpgsql stable
  set search_path = pg_catalog, pg_temp
  set enable_seqscan = off
  set enable_bitmapscan = off
  set enable_sort = off
  set plan_cache_mode = force_generic_plan
as $$
begin
  select l.off::float8, l.day into end_off, end_day from brokers.log l where l.day >= from_day order by l.off desc limit 1;
  if end_off > from_off + 100000 then
    end_off := from_off + 100000;
    end_day := from_day;
  end if;
  return query
    select end_off, end_day, r.*
    from (select) one
    left join lateral (
      select l.off::float8, l.day, l.shard, l.topic, l.ordering_key, l.event_id, l.tenant_id, l.attributes, l.enqueued_at,
             l.published_at, l.envelope::text
      from brokers.log l
      where l.day >= from_day and l.off > from_off and l.off <= from_off + 100000
        and l.topic = any(of_topics) and not l.tenant_id = any(without)
      order by l.off
      limit most
    ) r on true;
end $$;

-- A day is made by itself and attached: whoever reads or appends does not notice. (As "partition of" it asked for the log
-- alone: with a dump or a report open, everybody queued behind that, 10 s every hour.) The lock that those hold who append is
-- held here too, so nothing is waited for longer than a moment; a day ahead that cannot be made now is made in an hour.
create or replace function brokers.make_partitions(days_ahead integer) returns integer
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
  set lock_timeout = '10s' -- of append_lock(); back to the caller's at the end
as $$
declare
  first_day date := (select greatest(d.day, (now() at time zone 'utc')::date) from brokers.log_day d);
  wanted date;
  part text;
  made integer := 0;
begin
  perform pg_advisory_xact_lock(brokers.append_lock());
  perform set_config('lock_timeout', '100ms', true);
  for wanted in select first_day + n from generate_series(0, days_ahead) n loop
    part := format('brokers.%I', brokers.partition_name(wanted));
    continue when to_regclass(part) is not null;
    begin
      execute format('create table %s (like brokers.log including defaults including constraints)', part);
      perform app.protect(part::regclass);
      execute format('revoke all on %s from svc_brokers', part); -- through the log only
      execute format('alter table brokers.log attach partition %s for values from (%L) to (%L)', part, wanted, wanted + 1);
      made := made + 1;
    exception when lock_not_available then
      if wanted = first_day then
        raise;
      end if;
      exit;
    end;
  end loop;
  return made;
end $$;

-- To drop a day nobody may look at the log meanwhile. Whoever does is waited for a tenth of a second, since everybody else
-- queues behind us; then the day stays for another hour.
create or replace function brokers.drop_partitions(keep interval) returns integer
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
  set lock_timeout = '100ms'
as $$
declare
  old_day date;
  dropped integer := 0;
  oldest_needed date := least(
    (select min(c.day) from brokers.cursor c where c.broker = 'postgres'), -- on another broker they never move
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
    begin
      execute format('drop table brokers.%I', brokers.partition_name(old_day));
    exception when lock_not_available then
      exit;
    end;
    dropped := dropped + 1;
  end loop;
  return dropped;
end $$;
