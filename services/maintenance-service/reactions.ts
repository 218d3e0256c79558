import { on, type Reaction } from '@ghasi/backbone/reaction';
import type { LocalDate } from '@ghasi/domain-primitives/local-date';
import {
  BusinessDateAdvanced,
  PropertyCreated,
  RoomAdded,
  RoomArchived,
} from '@melmastoon/property-service/contract';
import { saveHouse, saveRoom } from './queries/houses.ts';

const heard = (isNews: boolean) => (isNews ? undefined : ('noop' as const));

/** Keeps up with houses and rooms; of each the newest version counts. */
export const reactions = [
  on(PropertyCreated, async (ctx, { propertyId: id, businessDate, currency }, { metadata }) =>
    heard(await saveHouse(ctx, { id, businessDate, currency, version: metadata.aggregateVersion })),
  ),
  on(BusinessDateAdvanced, async (ctx, { propertyId: id, businessDate }, { metadata }) =>
    heard(await saveHouse(ctx, { id, businessDate, currency: null, version: metadata.aggregateVersion })),
  ),
  on(RoomAdded, async (ctx, { roomId: id, propertyId, roomTypeId, number }, { metadata }) => {
    const room = { id, propertyId, roomTypeId, number, closedFrom: null };
    return heard(await saveRoom(ctx, room, metadata.aggregateVersion));
  }),
  on(RoomArchived, async (ctx, { roomId: id, propertyId, roomTypeId, number, closedFrom }, { metadata }) => {
    const room = { id, propertyId, roomTypeId, number, closedFrom: closedFrom as LocalDate };
    return heard(await saveRoom(ctx, room, metadata.aggregateVersion));
  }),
] as readonly Reaction[];
