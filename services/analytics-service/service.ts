import { defineService } from '@ghasi/backbone/define-service';
import { events } from './contract.ts';

/** Numbers computed from everybody's events. */
export const service = defineService({
  name: 'analytics-service',
  schema: 'analytics',
  migrations: new URL('./migrations/', import.meta.url),
  publishes: events,
  delivery: { mode: 'pull', instances: 4, concurrency: 16, order: 'any' }, // ORD-10: sums do not care for order
});
