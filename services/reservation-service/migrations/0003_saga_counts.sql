-- why: how many sagas are under way is shown across tenants (OBS-12), and the sweeper asks billing before it ends a
-- check-out, so it must know of which booking. Nothing but kinds, numbers and ids leaves these functions.

drop function reservation.due_sagas(timestamptz, integer);
create function reservation.due_sagas(at timestamptz, most integer)
  returns table (tenant_id uuid, saga_id uuid, kind text, reservation_id uuid)
  language sql stable security definer
  set search_path = pg_catalog, pg_temp
as $$
  select s.tenant_id, s.id, s.kind, s.reservation_id
  from reservation.sagas s
  where s.outcome is null and s.deadline_at <= at
  order by s.deadline_at
  limit most
$$;
select app.allow_definer('reservation.due_sagas(timestamptz, integer)');

create function reservation.open_sagas()
  returns table (kind text, open bigint)
  language sql stable security definer
  set search_path = pg_catalog, pg_temp
as $$
  select k.kind, count(s.id)
  from unnest(array['booking', 'check_in', 'check_out', 'date_change']) as k (kind)
  left join reservation.sagas s on s.kind = k.kind and s.outcome is null
  group by k.kind
$$;
select app.allow_definer('reservation.open_sagas()');
