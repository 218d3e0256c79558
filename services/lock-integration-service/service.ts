import { defineService } from '@ghasi/backbone/define-service';
import { events } from './contract.ts';

/** Keys that open doors: issued, changed, suspended and revoked through the vendors of the locks. */
export const service = defineService({
  name: 'lock-integration-service',
  schema: 'lock_integration',
  migrations: new URL('./migrations/', import.meta.url),
  publishes: events,
  delivery: { instances: 10, concurrency: 2, order: 'required' }, // ORD-08: vendors are slow, so few at a time
});
