-- why: a change that must find its row is refused by the server itself, so that COMMIT can leave in one packet with it.

create function app.assert_touched(touched bigint) returns void
  language plpgsql immutable
as $$
begin
  if touched = 0 then
    raise exception 'the row is not there, or not in the version it was read in' using errcode = 'MV001';
  end if;
end $$;

revoke execute on function app.assert_touched(bigint) from public;
