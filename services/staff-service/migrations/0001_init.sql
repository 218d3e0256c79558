-- why: the outbox and inbox of staff-service; shifts come with its behaviour.

select backbone.add_messaging('staff');
