import { defineService } from '@ghasi/backbone/define-service';
import { events } from './contract.ts';

/** How a booking site looks: presets, brand tokens, content blocks. */
export const service = defineService({
  name: 'theme-config-service',
  schema: 'theme_config',
  migrations: new URL('./migrations/', import.meta.url),
  publishes: events,
});
