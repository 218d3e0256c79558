import { defineService } from '@ghasi/backbone/define-service';
import { membershipOfAnswer, resolveAnswer, siteSettingsAnswer } from './answers.ts';
import { errors } from './errors.ts';
import { events } from './events.ts';
import { addressRoutes } from './routes/addresses.ts';
import { membershipRoutes } from './routes/memberships.ts';
import { platformRoutes } from './routes/platform.ts';
import { preferenceRoutes } from './routes/preferences.ts';
import { tenantRoutes } from './routes/tenant.ts';
import * as tables from './tables.ts';

/** Tenants, their names and settings, who works for them, and how each operator likes his screen. */
export const service = defineService({
  name: 'tenant-service',
  schema: 'tenant',
  migrations: new URL('./migrations/', import.meta.url),
  tables,
  publishes: events,
  routes: [...platformRoutes, ...tenantRoutes, ...addressRoutes, ...membershipRoutes, ...preferenceRoutes],
  answers: [membershipOfAnswer, resolveAnswer, siteSettingsAnswer],
  errors,
});
