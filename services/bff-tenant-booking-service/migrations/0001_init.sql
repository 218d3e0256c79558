-- why: the outbox and inbox of bff-tenant-booking-service; snapshots and handoffs come with its behaviour.

select backbone.add_messaging('bff_tenant_booking');
