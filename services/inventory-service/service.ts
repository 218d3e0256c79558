import { defineService, type Service } from '@ghasi/backbone/define-service';
import { assignedToAnswer, assignRoomAnswer, availabilityAnswer, roomUseAnswer } from './answers.ts';
import type { FetchOptions } from './calendar/fetch-calendar.ts';
import { openCalendars } from './calendars.ts';
import { events } from './contract.ts';
import { errors } from './errors.ts';
import { importCalendar, syncCalendars } from './feed-jobs.ts';
import { schedules } from './jobs.ts';
import { reactions } from './reactions.ts';
import { calendarRoutes } from './routes/calendars.ts';
import { feedRoutes } from './routes/feeds.ts';
import { roomRoutes } from './routes/rooms.ts';
import { saleRoutes } from './routes/sale.ts';
import * as tables from './tables.ts';

/** What an installation may say about the calendars of portals. */
export type InventoryParts = { calendars?: FetchOptions };

/** How many rooms of a type are free on a night, and who has them. */
export function createInventoryService(parts: InventoryParts = {}): Service {
  const calendars = openCalendars(parts.calendars);
  return defineService({
    name: 'inventory-service',
    schema: 'inventory',
    migrations: new URL('./migrations/', import.meta.url),
    tables,
    publishes: events,
    reacts: reactions, // bookings, rooms, properties, repair tickets
    delivery: { instances: 10, concurrency: 4, order: 'required' }, // ORD-06: allocations of a room one after the other
    routes: [
      ...saleRoutes, // availability, stop-sells, overbooking
      ...roomRoutes, // assignments, blocks, the move list
      ...feedRoutes(calendars), // calendars of portals
      ...calendarRoutes, // and ours for them
    ],
    answers: [availabilityAnswer, assignedToAnswer, roomUseAnswer, assignRoomAnswer],
    jobs: [importCalendar(calendars)],
    schedules: [...schedules, syncCalendars],
    errors,
  });
}

/** As most installations have it: portals are fetched from the public internet only. */
export const service = createInventoryService();
