-- why: an order is its own saga: one row says where it stands and until when it may stand there.
create table orders.orders (
  tenant_id   uuid not null,
  order_id    text not null,
  article     text not null,
  pieces      integer not null,
  state       text not null check (state in ('open', 'confirmed', 'cancelled')),
  has_stock   boolean not null default false,
  is_paid     boolean not null default false,
  deadline_at timestamptz, -- until when an open order waits for what is missing
  version     integer not null default 1,
  primary key (tenant_id, order_id),
  check ((state = 'open') = (deadline_at is not null)),
  check (state <> 'confirmed' or (has_stock and is_paid))
);
create index orders_overdue on orders.orders (deadline_at) where deadline_at is not null;
select app.protect('orders.orders', definer => true);
select backbone.add_messaging('orders');
select jobs.admit('orders');

-- For the sweeper, which belongs to no tenant: whose orders are overdue. Tenant ids and nothing else.
create function orders.tenants_overdue(at timestamptz) returns setof uuid
  language sql stable security definer
  set search_path = pg_catalog, pg_temp
as $$ select distinct tenant_id from orders.orders where deadline_at <= at $$;
select app.allow_definer('orders.tenants_overdue(timestamptz)');
