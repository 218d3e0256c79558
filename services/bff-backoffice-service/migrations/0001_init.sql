-- why: the outbox and inbox of bff-backoffice-service; its mirrors and ledgers come with its behaviour.

select backbone.add_messaging('bff_backoffice');
