import { defineService } from '@ghasi/backbone/define-service';
import { contentOfAnswer, themeOfAnswer } from './answers.ts';
import { events } from './contract.ts';
import { errors } from './errors.ts';
import { reactions } from './reactions.ts';
import { presetRoutes } from './routes/presets.ts';
import { siteRoutes } from './routes/site.ts';
import { themeRoutes } from './routes/themes.ts';
import * as tables from './tables.ts';

/** How a booking site looks: presets, brand tokens, content blocks. */
export const service = defineService({
  name: 'theme-config-service',
  schema: 'theme_config',
  migrations: new URL('./migrations/', import.meta.url),
  tables,
  publishes: events,
  reacts: reactions,
  routes: [...presetRoutes, ...themeRoutes, ...siteRoutes],
  answers: [themeOfAnswer, contentOfAnswer],
  errors,
});
