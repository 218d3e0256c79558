-- why: folios, charges and invoices tell the other services what a guest owes (EVT-40..45).

select backbone.add_messaging('billing');
