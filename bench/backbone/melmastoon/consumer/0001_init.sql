-- why: the effect log of one consumer of the backbone benchmark; without a unique key, so that doubles would show.
create table effects (
  seq        bigint generated always as identity,
  tenant_id  uuid not null,
  booking_id uuid not null
);
select app.protect('effects');
select backbone.add_messaging(current_schema()::text);
