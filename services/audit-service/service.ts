import { defineService } from '@ghasi/backbone/define-service';
import { events } from './contract.ts';

/** A chain of everything that happened, which a third party can verify. */
export const service = defineService({
  name: 'audit-service',
  schema: 'audit',
  migrations: new URL('./migrations/', import.meta.url),
  publishes: events,
  delivery: { mode: 'pull', instances: 8, concurrency: 32, order: 'any' }, // ORD-12: it only appends
});
