-- why: a plan made while the log was empty must not cost half a second per page once it holds a hundred thousand rows.

-- Both walk along the index and stop at `most`; the settings forbid the plan that collects everything and sorts it.
-- Stable: the end of the log is from the same snapshot as the rows, so a page that is not full has seen all up to there.
create function brokers.read_page(from_day date, from_off bigint, most integer, of_topics text[], without uuid[])
  returns table (end_off float8, end_day date, off float8, day date, shard smallint, topic text, ordering_key text,
                 event_id uuid, tenant_id uuid, attributes json, enqueued_at timestamptz, published_at timestamptz,
                 envelope text)
  language plpgsql stable
  set search_path = pg_catalog, pg_temp
  set enable_seqscan = off
  set enable_bitmapscan = off
  set enable_sort = off
as $$
begin
  select l.off::float8, l.day into end_off, end_day from brokers.log l where l.day >= from_day order by l.off desc limit 1;
  return query
    select end_off, end_day, r.*
    from (select) one
    left join lateral (
      select l.off::float8, l.day, l.shard, l.topic, l.ordering_key, l.event_id, l.tenant_id, l.attributes, l.enqueued_at,
             l.published_at, l.envelope::text
      from brokers.log l
      where l.day >= from_day and l.off > from_off and l.topic = any(of_topics) and not l.tenant_id = any(without)
      order by l.off
      limit most
    ) r on true;
end $$;

create function brokers.read_tenant(from_off bigint, up_to bigint, most integer, of_topics text[], of_tenant uuid)
  returns table (off float8, day date, shard smallint, topic text, ordering_key text, event_id uuid, tenant_id uuid,
                 attributes json, enqueued_at timestamptz, published_at timestamptz, envelope text)
  language plpgsql stable
  set search_path = pg_catalog, pg_temp
  set enable_seqscan = off
  set enable_bitmapscan = off
  set enable_sort = off
as $$
begin
  return query
    select l.off::float8, l.day, l.shard, l.topic, l.ordering_key, l.event_id, l.tenant_id, l.attributes, l.enqueued_at,
           l.published_at, l.envelope::text
    from brokers.log l
    where l.off > from_off and l.off <= up_to and l.topic = any(of_topics) and l.tenant_id = of_tenant
    order by l.off
    limit most;
end $$;

revoke execute on function brokers.read_page(date, bigint, integer, text[], uuid[]) from public;
revoke execute on function brokers.read_tenant(bigint, bigint, integer, text[], uuid) from public;
grant execute on function brokers.read_page(date, bigint, integer, text[], uuid[]) to relay;
grant execute on function brokers.read_tenant(bigint, bigint, integer, text[], uuid) to relay;
