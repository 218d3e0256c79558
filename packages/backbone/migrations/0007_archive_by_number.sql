-- why: to publish an archive of millions again, every 2,000 rows were found by sorting all of them, until that took longer than a
-- statement may.

-- By number, and with the moment in it: what was published before is passed over without a look at the table.
create function backbone.index_archive(service_schema text) returns void
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
begin
  execute format('create index outbox_archive_order on %I.outbox_archive (seq, published_at)', service_schema);
end $$;
revoke execute on function backbone.index_archive(text) from public;

alter function backbone.add_archive(text) rename to add_archive_table;

create function backbone.add_archive(service_schema text) returns void
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
begin
  perform backbone.add_archive_table(service_schema);
  perform backbone.index_archive(service_schema);
end $$;
revoke execute on function backbone.add_archive(text) from public;

select backbone.index_archive(n.nspname)
from pg_catalog.pg_class c
join pg_catalog.pg_namespace n on n.oid = c.relnamespace
where c.relname = 'outbox_archive' and c.relkind = 'r';
