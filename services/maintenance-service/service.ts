import { defineService, type Service } from '@ghasi/backbone/define-service';
import type { Ask } from '@ghasi/backbone/question';
import { events } from './contract.ts';
import { errors } from './errors.ts';
import { schedules } from './jobs.ts';
import { reactions } from './reactions.ts';
import { planRoutes } from './routes/plans.ts';
import { ticketRoutes } from './routes/tickets.ts';
import { workRoutes } from './routes/work.ts';
import * as tables from './tables.ts';
import { needs } from './who-has-the-room.ts';

/** Work orders: what is broken, which room it blocks, what the repair cost. */
export function createMaintenanceService({ ask }: { ask: Ask }): Service {
  return defineService({
    name: 'maintenance-service',
    schema: 'maintenance',
    migrations: new URL('./migrations/', import.meta.url),
    tables,
    publishes: events,
    reacts: reactions,
    routes: [...ticketRoutes(ask), ...workRoutes, ...planRoutes],
    schedules,
    needs,
    errors,
  });
}

/** The service while there is nobody to ask: everything works but taking rooms out. */
export const service = createMaintenanceService({
  ask: () => Promise.reject(new Error('maintenance-service was started without anybody to ask')),
});
