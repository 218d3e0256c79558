-- why: json may hold what no text can (\u0000, half a surrogate pair): one such row that somebody had written into an outbox by hand
-- ended every pass that came to it while spans were recorded, and nothing behind it left that outbox.

-- The mover is 0006's, but for how it asks a row for its trace; whoever handles the message says what is wrong with it.
create or replace function backbone.read_odd_traces(service_schema text) returns void
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
begin
  execute replace(
    pg_get_functiondef(
      format('%I.outbox_move(bigint, int8multirange, integer, uuid[], boolean, bigint, text, boolean)', service_schema)::regprocedure),
    $raw$(a.attributes ->> 'traceparent')$raw$,
    $readable$(brokers.readable(a.attributes) ->> 'traceparent')$readable$);
end $$;
revoke execute on function backbone.read_odd_traces(text) from public;

create or replace function backbone.add_messaging(service_schema text) returns void
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
begin
  perform backbone.add_outbox_and_inbox(service_schema);
  perform backbone.add_archive(service_schema);
  perform backbone.add_mover(service_schema);
  perform backbone.read_odd_traces(service_schema);
  perform backbone.keep_plans(service_schema);
  perform backbone.drop_outbox_check(service_schema);
end $$;

select backbone.read_odd_traces(n.nspname)
from pg_catalog.pg_class c
join pg_catalog.pg_namespace n on n.oid = c.relnamespace
where c.relname = 'outbox_quarantine' and c.relkind = 'r';
