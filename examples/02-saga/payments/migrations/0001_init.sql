-- why: a payment is taken once and given back at most once.
create table payments.payments (
  tenant_id uuid not null,
  order_id  text not null,
  state     text not null check (state in ('taken', 'refunded')),
  primary key (tenant_id, order_id)
);
select app.protect('payments.payments');
select backbone.add_messaging('payments');
