-- why: the business table of the backbone benchmark.
create table bookings (
  tenant_id uuid not null,
  id        uuid not null,
  guest     text not null,
  constraint bookings_pk primary key (tenant_id, id)
);
select app.protect('bookings');
select backbone.add_messaging('booking');
