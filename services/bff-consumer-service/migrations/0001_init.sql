-- why: the outbox and inbox of bff-consumer-service: it publishes nothing, but hears of listings.

select backbone.add_messaging('bff_consumer');
