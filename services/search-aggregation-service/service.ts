import { defineService } from '@ghasi/backbone/define-service';
import { events } from './contract.ts';

/** The index that finds a free room across all houses of the platform. */
export const service = defineService({
  name: 'search-aggregation-service',
  schema: 'search_aggregation',
  migrations: new URL('./migrations/', import.meta.url),
  publishes: events,
  delivery: { mode: 'pull', instances: 2, concurrency: 8, order: 'required' }, // ORD-11: the last write per property wins
});
