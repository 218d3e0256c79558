-- why: json may hold what no text can (\u0000, half a surrogate pair), and asking such a value for any member of it raised: one row that
-- somebody had written by hand ended every seek, replay and look at the backlog that came past it.

-- The same json with U+FFFD in place of such characters, to be asked for its members. What has none is given back as it is. Without
-- settings of its own: so it becomes part of the statements that call it.
create function brokers.readable(value json) returns json
  language sql immutable parallel safe
  return case
    when strpos(value::text, '\u') = 0 then value
    -- after an even number of backslashes; whole pairs too, which are escaped in nothing that we write
    else regexp_replace(value::text, '(?<!\\)((?:\\\\)*)\\u(0000|d[89a-f][0-9a-f]{2})', '\1\\ufffd', 'gi')::json
  end;
