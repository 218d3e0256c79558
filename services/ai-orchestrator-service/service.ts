import { defineService } from '@ghasi/backbone/define-service';
import { events } from './contract.ts';

/** What models say, where it comes from, and what people decided about it. */
export const service = defineService({
  name: 'ai-orchestrator-service',
  schema: 'ai_orchestrator',
  migrations: new URL('./migrations/', import.meta.url),
  publishes: events,
});
