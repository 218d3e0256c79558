-- why: the outbox and inbox of housekeeping-service; tasks, room states and stock come with its behaviour.

select backbone.add_messaging('housekeeping');
