-- why: the outbox and inbox of maintenance-service; work orders come with its behaviour.

select backbone.add_messaging('maintenance');
