-- why: which days are needed was asked before the wait for the log, and a seek that committed in that tenth of a second went back to a
-- day that was dropped a moment later.

-- Asked with the log locked: whoever seeks has read it, so his cursors are either written down by now or not moved yet. Everything
-- else is as 0005 says.
create or replace function brokers.drop_partitions(keep interval) returns integer
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
  set lock_timeout = '100ms'
as $$
declare
  old_day date;
  dropped integer := 0;
begin
  for old_day in
    select to_date(right(c.relname, 8), 'YYYYMMDD')
    from pg_catalog.pg_inherits i
    join pg_catalog.pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'brokers.log'::regclass
    order by 1
  loop
    exit when old_day >= brokers.oldest_needed(keep); -- so that an hour without anything to drop asks for no lock
    begin
      lock table only brokers.log in access exclusive mode;
      exit when old_day >= brokers.oldest_needed(keep);
      execute format('drop table brokers.%I', brokers.partition_name(old_day));
    exception when lock_not_available then
      exit;
    end;
    dropped := dropped + 1;
  end loop;
  return dropped;
end $$;

create function brokers.oldest_needed(keep interval) returns date
  language sql volatile
  return least(
    (select min(c.day) from brokers.cursor c where c.broker = 'postgres'), -- on another broker they never move
    (clock_timestamp() at time zone 'utc' - keep)::date);
revoke execute on function brokers.oldest_needed(interval) from public;
