import { defineService } from '@ghasi/backbone/define-service';
import { assignedToAnswer, assignRoomAnswer, availabilityAnswer, roomUseAnswer } from './answers.ts';
import { events } from './contract.ts';
import { errors } from './errors.ts';
import { schedules } from './jobs.ts';
import { reactions } from './reactions.ts';
import { roomRoutes } from './routes/rooms.ts';
import { saleRoutes } from './routes/sale.ts';
import * as tables from './tables.ts';

/** How many rooms of a type are free on a night, and who has them. */
export const service = defineService({
  name: 'inventory-service',
  schema: 'inventory',
  migrations: new URL('./migrations/', import.meta.url),
  tables,
  publishes: events,
  reacts: reactions,
  delivery: { instances: 10, concurrency: 4, order: 'required' }, // ORD-06: allocations of a room one after the other
  routes: [...saleRoutes, ...roomRoutes],
  answers: [availabilityAnswer, assignedToAnswer, roomUseAnswer, assignRoomAnswer],
  schedules,
  errors,
});
