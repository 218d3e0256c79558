import { defineService } from '@ghasi/backbone/define-service';
import { events } from './contract.ts';

/** What the front desk talks to: boards, inboxes and the state of its devices. */
export const service = defineService({
  name: 'bff-backoffice-service',
  schema: 'bff_backoffice',
  migrations: new URL('./migrations/', import.meta.url),
  publishes: events,
});
