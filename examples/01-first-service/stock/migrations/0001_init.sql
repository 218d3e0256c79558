-- why: what is reserved is one number per article; the inbox beside it remembers which orders are in it.
create table stock.reserved (
  tenant_id uuid not null,
  article   text not null,
  pieces    integer not null,
  primary key (tenant_id, article)
);
select app.protect('stock.reserved');
select backbone.add_messaging('stock');
