-- why: what happens to keys and locks is told to the other services (EVT-51..56).

select backbone.add_messaging('lock_integration');
