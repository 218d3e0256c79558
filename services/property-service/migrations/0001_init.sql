-- why: the outbox and inbox of property-service; its own tables come with its behaviour.

select backbone.add_messaging('property');
