import { defineService, type Service } from '@ghasi/backbone/define-service';
import { housesOfAnswer, propertyOfAnswer, sizeOfAnswer } from './answers.ts';
import { events } from './contract.ts';
import { errors } from './errors.ts';
import { type DayGate, dayRoutes } from './routes/days.ts';
import { propertyRoutes } from './routes/properties.ts';
import { roomTypeRoutes } from './routes/room-type.ts';
import { type RoomGate, roomRoutes } from './routes/rooms.ts';
import * as tables from './tables.ts';

/** Whom the house asks before it closes a day or a room. */
export type PropertyParts = DayGate & RoomGate;

/** The house itself: properties, room types, rooms, amenities, the hotel day, and what sensors in rooms measure. */
export function createPropertyService(parts: PropertyParts): Service {
  return defineService({
    name: 'property-service',
    schema: 'property',
    migrations: new URL('./migrations/', import.meta.url),
    tables,
    publishes: events,
    routes: [...propertyRoutes, ...dayRoutes(parts), ...roomTypeRoutes, ...roomRoutes(parts)],
    answers: [propertyOfAnswer, housesOfAnswer, sizeOfAnswer],
    needs: [...parts.dayChecks, ...parts.roomChecks],
    errors,
  });
}

/** The service while nobody has anything to say against a close: it asks no questions. */
export const service = createPropertyService({
  ask: () => Promise.reject(new Error('property-service was started without questions to ask')),
  dayChecks: [],
  roomChecks: [],
});
