import { defineService } from '@ghasi/backbone/define-service';
import { events } from './contract.ts';

/** What the booking site of a tenant talks to: the guest's way from search to confirmation. */
export const service = defineService({
  name: 'bff-tenant-booking-service',
  schema: 'bff_tenant_booking',
  migrations: new URL('./migrations/', import.meta.url),
  publishes: events,
});
