-- why: how many sagas are under way is shown across tenants (OBS-12); nothing but a kind and a number leaves the function.

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
