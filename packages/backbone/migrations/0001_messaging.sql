-- why: every service gets the same outbox and inbox, so that one relay and one consumer runtime serve them all.

-- Called by each service's migration: `select backbone.add_messaging('reservation');`
create function backbone.add_messaging(service_schema text) returns void
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $outer$
begin
  -- The superset of the ledger's shapes (OUTBOX-07..23, X-041). Rows wait here only until they are published; with the
  -- PostgreSQL broker they move into the log, which then is their record. `envelope` is json and not jsonb: its exact
  -- bytes are signed, and a reader gets them back without the server having to write them anew.
  execute format($ddl$
    create table %1$I.outbox (
      id                uuid not null default gen_random_uuid(),
      seq               bigint generated always as identity,
      event_id          uuid not null generated always as (id) stored,
      tenant_id         uuid not null,
      aggregate_type    text not null,
      aggregate_id      text not null,
      aggregate_version bigint not null,
      topic             text not null,
      ordering_key      text not null,
      envelope          json not null,
      attributes        json not null,
      idempotency_key   text not null,
      occurred_at       timestamptz not null default now(),
      enqueued_at       timestamptz not null default clock_timestamp(), -- of the append, not of the transaction's start
      status            text not null default 'pending',
      attempts          integer not null default 0,
      next_attempt_at   timestamptz not null default now(),
      last_error        text,
      published_at      timestamptz,
      lease_owner       text,
      lease_until       timestamptz,
      lease_epoch       bigint not null default 0, -- the fencing number of the claim
      constraint outbox_pk primary key (tenant_id, id),
      constraint outbox_status check (status in ('pending', 'retrying', 'published', 'dead_letter'))
    ) with (fillfactor = 90, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000)
  $ddl$, service_schema);
  execute format('create index outbox_seq on %I.outbox (seq)', service_schema);
  perform app.protect(format('%I.outbox', service_schema)::regclass, maintenance => true, relay => true);

  -- Which keys were ever used; rows leave the outbox, keys stay 30 days (X-049).
  execute format($ddl$
    create table %1$I.outbox_key (
      tenant_id       uuid not null,
      topic           text not null,
      idempotency_key text not null,
      event_id        uuid not null,
      created_at      timestamptz not null default now(),
      constraint outbox_key_pk primary key (tenant_id, topic, idempotency_key)
    )
  $ddl$, service_schema);
  execute format('create index outbox_key_age on %I.outbox_key using brin (created_at)', service_schema);
  perform app.protect(format('%I.outbox_key', service_schema)::regclass, maintenance => true, relay => true);

  -- What could not be published in 50 attempts over 6 h; its key waits until somebody decides (X-046, X-054).
  execute format($ddl$
    create table %1$I.outbox_quarantine (
      like %1$I.outbox,
      quarantined_at timestamptz not null default now(),
      reason         text not null,
      resolved_at    timestamptz,
      resolved_by    text,
      constraint outbox_quarantine_pk primary key (tenant_id, id)
    )
  $ddl$, service_schema);
  perform app.protect(format('%I.outbox_quarantine', service_schema)::regclass, maintenance => true, relay => true);

  -- What a consumer has seen. The tenant leads both keys: another tenant's event with the same id is another event.
  execute format($ddl$
    create table %1$I.inbox (
      tenant_id         uuid not null,
      consumer_name     text not null,
      event_id          uuid not null,
      topic             text not null,
      event_type        text not null,
      idempotency_key   text not null,
      ordering_key      text not null,
      aggregate_version bigint not null,
      received_at       timestamptz not null default now(),
      processed_at      timestamptz,
      result            text,
      attempts          integer not null default 0,
      last_error        text,
      broker_message_id text,
      constraint inbox_pk primary key (tenant_id, consumer_name, event_id),
      constraint inbox_business_key unique (tenant_id, consumer_name, event_type, idempotency_key),
      constraint inbox_result check (result in ('ok', 'noop', 'error'))
    )
  $ddl$, service_schema);
  execute format('create index ix_inbox_unprocessed on %I.inbox (received_at) where processed_at is null', service_schema);
  execute format('create index inbox_age on %I.inbox using brin (received_at)', service_schema);
  perform app.protect(format('%I.inbox', service_schema)::regclass, maintenance => true, relay => true);

  -- What remains of inbox rows older than 30 days: up to which version a key was applied.
  execute format($ddl$
    create table %1$I.inbox_floor (
      tenant_id         uuid not null,
      consumer_name     text not null,
      ordering_key      text not null,
      aggregate_version bigint not null,
      constraint inbox_floor_pk primary key (tenant_id, consumer_name, ordering_key)
    )
  $ddl$, service_schema);
  perform app.protect(format('%I.inbox_floor', service_schema)::regclass, maintenance => true, relay => true);

  -- A consumer's transaction calls this first: whoever lost a shard in the meantime must not write. In the service's own
  -- schema, because a service reaches no other.
  execute format($ddl$
    create function %1$I.assert_holds(of_subscription text, shards smallint[], epochs bigint[]) returns void
      language plpgsql stable security definer
      set search_path = pg_catalog, pg_temp
    as $body$
    begin
      if exists (
        select from unnest(shards, epochs) as held (shard, epoch)
        where not exists (
          select from brokers.fence f
          where f.subscription = of_subscription and f.shard = held.shard and f.epoch = held.epoch)
      ) then
        raise exception 'fenced: %% lost a shard', of_subscription using errcode = 'MB001';
      end if;
    end $body$
  $ddl$, service_schema);
  perform app.allow_definer(format('%I.assert_holds(text, smallint[], bigint[])', service_schema)::regprocedure);

  -- From outbox to log in one statement on the server. A function of its own per service, so that its plan is kept.
  -- Everybody who appends to the log holds one lock until commit: offsets are in commit order, and a reader that has
  -- seen offset n will never see a smaller one appear. Rows are taken by what is there, never by a cursor alone:
  -- `after_seq` is how far the caller has looked, `holes` are the numbers below it that it has not seen yet. What was
  -- published is told in `groups` by topic and tenant; one by one in `events`, only while somebody traces.
  execute format($ddl$
    create function %1$I.outbox_move(after_seq bigint, holes bigint[], most integer, traced boolean default false,
                                     since_off bigint default null,
                                     out moved bigint[], out oldest xid8, out next xid8, out groups json, out events json,
                                     out others bigint[], out others_off bigint, out own_off bigint)
      language plpgsql
      set search_path = pg_catalog, pg_temp
      -- By the index only. A plan is made while the outbox is empty and kept for hours: a scan or a hash join over the
      -- whole table costs nothing then, and 50 ms a pass once a held snapshot keeps 100,000 dead rows (measured).
      set enable_seqscan = off
    as $body$
    declare
      today date;
      has_no_number boolean;
    begin
      perform pg_advisory_xact_lock(brokers.append_lock());
      today := brokers.log_today();
      has_no_number := pg_current_xact_id_if_assigned() is null;
      -- What other movers took since the caller last looked: to him those numbers are missing, but they are no holes.
      if since_off is not null then
        select array_agg(l.source_seq), max(l.off) into others, others_off
        from (
          select l.source_seq, l.off
          from brokers.log l
          where l.day >= today - 1 and l.off > since_off and l.source = %2$L and l.source_seq is not null
          order by l.off
          limit 5000
        ) l;
      end if;
      -- Taken before the rows are looked at: what was drawn by a transaction below "oldest" is visible below.
      oldest := pg_snapshot_xmin(pg_current_snapshot());
      with found as (
        (select o.seq from %1$I.outbox o where o.seq = any(holes))
        union all
        (select o.seq from %1$I.outbox o where o.seq > after_seq order by o.seq limit most)
      ), taken as (
        delete from %1$I.outbox o
        where o.seq = any(array(select f.seq from found f))
        returning o.*
      ), appended as (
        insert into brokers.log (day, off, shard, topic, ordering_key, event_id, tenant_id, envelope, attributes, source, source_seq, enqueued_at)
        select today, nextval('brokers.log_off'), brokers.shard_of(t.ordering_key), t.topic, t.ordering_key, t.event_id,
               t.tenant_id, t.envelope, t.attributes, %2$L, t.seq, t.enqueued_at
        from (select * from taken order by seq) t
        returning off
      )
      select array_agg(t.seq order by t.seq), (select max(a.off) from appended a), (
          select json_agg(json_build_object('topic', g.topic, 'tenantId', g.tenant_id, 'count', g.n, 'waitSeconds', g.wait))
          from (
            select w.topic, w.tenant_id, count(*) as n,
                   extract(epoch from clock_timestamp() - min(w.enqueued_at) - (max(w.enqueued_at) - min(w.enqueued_at)) / 2) as wait
            from taken w
            group by w.topic, w.tenant_id
          ) g
        ), case when traced then (
          select json_agg(json_build_object(
            'topic', e.topic, 'eventId', e.event_id, 'traceparent', e.attributes ->> 'traceparent',
            'appendedMs', extract(epoch from e.enqueued_at) * 1000, 'publishedMs', extract(epoch from clock_timestamp()) * 1000))
          from taken e
        ) end
      into moved, own_off, groups, events
      from taken t;
      -- Our own transaction number, drawn by the delete: whoever drew an outbox number that was missed had his before.
      -- The snapshot's xmax would not do: it is one above the last transaction that ended, and younger ones run.
      -- Null when nothing was taken, or when the number was drawn before we looked (the first pass of a day).
      next := case when has_no_number then pg_current_xact_id_if_assigned() end;
    end $body$
  $ddl$, service_schema, service_schema);
  execute format('revoke execute on function %I.outbox_move(bigint, bigint[], integer, boolean, bigint) from public', service_schema);
  execute format('grant execute on function %I.outbox_move(bigint, bigint[], integer, boolean, bigint) to relay', service_schema);
end $outer$;
revoke execute on function backbone.add_messaging(text) from public;
