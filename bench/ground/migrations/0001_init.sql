-- why: the smallest honest write of a service: one business row and one event of 1 KB, both under row-level security.
create table if not exists bench.bookings (
  tenant_id uuid not null,
  id        uuid not null,
  guest     text not null,
  primary key (tenant_id, id)
);
select app.protect('bench.bookings');

create table if not exists bench.events (
  tenant_id uuid not null,
  id        uuid not null,
  payload   jsonb not null,
  primary key (tenant_id, id)
);
select app.protect('bench.events');
