-- why: the outbox and inbox of inventory-service; night counters and allocations come with its behaviour.

select backbone.add_messaging('inventory');
