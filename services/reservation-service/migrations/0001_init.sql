-- why: the outbox and inbox of reservation-service; bookings and sagas come with its behaviour.

select backbone.add_messaging('reservation');
