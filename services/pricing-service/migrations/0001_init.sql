-- why: the outbox and inbox of pricing-service; plans and quotes come with its behaviour.

select backbone.add_messaging('pricing');
