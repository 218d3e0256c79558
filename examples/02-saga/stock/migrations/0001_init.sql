-- why: what is free is a counter that cannot go below zero; what is set aside knows its order, so that it can come back.
create table stock.articles (
  tenant_id uuid not null,
  article   text not null,
  free      integer not null check (free >= 0),
  primary key (tenant_id, article)
);
create table stock.reserved (
  tenant_id uuid not null,
  order_id  text not null,
  article   text not null,
  pieces    integer not null,
  primary key (tenant_id, order_id)
);
select app.protect('stock.articles');
select app.protect('stock.reserved');
select backbone.add_messaging('stock');
