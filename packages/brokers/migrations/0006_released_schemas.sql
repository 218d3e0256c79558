-- why: a process learns the schemas of a release newer than itself, so that a deployment by and by dead-letters nothing.

-- Every schema that a release which ran `melm migrate` or `melm start` on this database could write. It only grows: what is
-- stored was written with one of them.
create table brokers.released_schema (
  subject     text not null,
  hash        text not null,
  released_at timestamptz not null default now(),
  constraint released_schema_pk primary key (subject, hash)
);
grant select on brokers.released_schema to relay;
select app.append_only('brokers.released_schema');
