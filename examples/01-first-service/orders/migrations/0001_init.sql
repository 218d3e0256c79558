-- why: orders are kept per tenant; their events leave through the outbox beside them.
create table orders.orders (
  tenant_id uuid not null,
  order_id  text not null,
  article   text not null,
  pieces    integer not null check (pieces > 0),
  primary key (tenant_id, order_id)
);
select app.protect('orders.orders');
select backbone.add_messaging('orders');
