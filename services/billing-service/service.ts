import { defineService } from '@ghasi/backbone/define-service';
import { events } from './contract.ts';

/** What a guest owes and why: folios, their lines, invoices. */
export const service = defineService({
  name: 'billing-service',
  schema: 'billing',
  migrations: new URL('./migrations/', import.meta.url),
  publishes: events,
  delivery: { instances: 20, concurrency: 8, order: 'required' }, // ORD-07: folio writes one after the other
});
