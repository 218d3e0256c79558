import { defineService, type Service } from '@ghasi/backbone/define-service';
import type { Ask } from '@ghasi/backbone/question';
import type { Reaction } from '@ghasi/backbone/reaction';
import { propertyOf } from '@melmastoon/property-service/contract';
import { roomStatusAnswer } from './answers.ts';
import { events } from './contract.ts';
import { errors } from './errors.ts';
import { reactions } from './reactions.ts';
import { houseRoutes } from './routes/houses.ts';
import { roomRoutes } from './routes/rooms.ts';
import { taskRoutes } from './routes/tasks.ts';
import * as tables from './tables.ts';

/** What state rooms are in, who cleans them, and the supplies that are used up. */
export function createHousekeepingService({ ask }: { ask: Ask }): Service {
  return defineService({
    name: 'housekeeping-service',
    schema: 'housekeeping',
    migrations: new URL('./migrations/', import.meta.url),
    tables,
    publishes: events,
    reacts: reactions as readonly Reaction[],
    routes: [...roomRoutes(ask), ...taskRoutes, ...houseRoutes],
    answers: [roomStatusAnswer],
    needs: [propertyOf],
    errors,
  });
}

/** The service while there is nobody to ask: everything but the board and the question works. */
export const service = createHousekeepingService({
  ask: () => Promise.reject(new Error('housekeeping-service was started without anybody to ask')),
});
