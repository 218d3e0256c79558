-- why: brokers across a network get their messages by claims; what they accepted is kept a while, to be published again.

-- A broker that loses its memory gets everything unread once more (republish.ts). In a table of its own, so that the
-- outbox holds what is not published and nothing else: its head is found without an index that every writer would pay
-- for. Stays empty where the PostgreSQL log is the broker (X-051, X-052).
create function backbone.add_archive(service_schema text) returns void
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $outer$
begin
  execute format($ddl$
    create table %1$I.outbox_archive (
      like %1$I.outbox,
      constraint outbox_archive_pk primary key (tenant_id, id),
      constraint outbox_archive_published check (published_at is not null)
    )
  $ddl$, service_schema);
  execute format('create index outbox_archive_age on %I.outbox_archive using brin (published_at)', service_schema);
  perform app.protect(format('%I.outbox_archive', service_schema)::regclass, maintenance => true, relay => true);

  -- Keys that wait for somebody's decision are looked up for every claim.
  execute format('create index outbox_quarantine_open on %I.outbox_quarantine (ordering_key) where resolved_at is null',
    service_schema);
end $outer$;
revoke execute on function backbone.add_archive(text) from public;

-- Services call one function for everything messages need.
alter function backbone.add_messaging(text) rename to add_outbox_and_inbox;

create function backbone.add_messaging(service_schema text) returns void
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
begin
  perform backbone.add_outbox_and_inbox(service_schema);
  perform backbone.add_archive(service_schema);
end $$;
revoke execute on function backbone.add_messaging(text) from public;

select backbone.add_archive(n.nspname)
from pg_catalog.pg_class c
join pg_catalog.pg_namespace n on n.oid = c.relnamespace
where c.relname = 'outbox_quarantine' and c.relkind = 'r';
