import { on, type Reaction, type ReactionResult } from '@ghasi/backbone/reaction';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { type Id, idFromUuid } from '@ghasi/domain-primitives/ids';
import type { LocalDate } from '@ghasi/domain-primitives/local-date';
import type { PendingEvent } from '@ghasi/event-envelope/define-event';
import {
  AllocationCommitted,
  AllocationReallocated,
  AllocationReleased,
  StopSellActivated,
  StopSellCleared,
} from '@melmastoon/inventory-service/contract';
import { TicketClosed, TicketOpened } from '@melmastoon/maintenance-service/contract';
import { CalendarUpdated, RatePlanArchived, RatePlanPublished } from '@melmastoon/pricing-service/contract';
import {
  AmenityChanged,
  PropertyCreated,
  RoomAdded,
  RoomArchived,
  RoomTypePublished,
} from '@melmastoon/property-service/contract';
import { TenantCreated, TenantSuspended } from '@melmastoon/tenant-service/events';
import { lookAgain, markStale, type Reindex } from './commands/mark.ts';
import { evict } from './commands/publish-listing.ts';
import { type Handler, handlers, type Localised } from './model.ts';
import {
  changeAmenities,
  listHouses,
  rememberHouse,
  rememberRoom,
  rememberRoomType,
  rememberSlug,
  rememberSuspension,
} from './queries/heard.ts';
import { listedHouses, lockListing } from './queries/listings.ts';

/**
 * What happens when others' events arrive. From each event the fields that anybody may know are taken by name, and
 * nothing else: who booked, who pays and which booking it was never gets past here (XT-05). Free rooms and prices are
 * asked for afterwards, so it does not matter in which order events arrive, or how many.
 */
export function searchReactions(reindex: Reindex): Reaction[] {
  const stale = (ctx: Ctx, propertyId: Id<'pro'>, ...parts: Handler[]) =>
    markStale(ctx, reindex, { propertyId, parts });
  /** Inventory-service hears of it too and may count after we ask: one more look, some seconds later. */
  const recounted = async (ctx: Ctx, propertyId: Id<'pro'>) => {
    await stale(ctx, propertyId, 'availability');
    await lookAgain(ctx, reindex, { propertyId, looks: 1 });
  };
  const changes = (part: Handler) => (ctx: Ctx, of: { propertyId: Id<'pro'> }) =>
    stale(ctx, of.propertyId, part);

  return [
    on(TenantCreated, async (ctx, { slug }) => {
      if ((await rememberSlug(ctx, slug)) === 0) return 'noop';
      for (const id of await listHouses(ctx.tx)) await stale(ctx, idFromUuid('pro', id), 'facts');
    }),
    on(TenantSuspended, (ctx, _payload, { metadata }) => suspend(ctx, reindex, metadata.aggregateVersion)),
    on(PropertyCreated, async (ctx, payload, { metadata }) => {
      const { propertyId, country, position, currency, zone, amenities } = payload;
      const [name, city] = [texts(payload.name), texts(payload.city)];
      const house = { propertyId, name, city, country, position, currency, zone, amenities };
      if ((await rememberHouse(ctx, house, metadata.aggregateVersion)) === 0) return 'noop';
      await stale(ctx, propertyId, ...handlers);
    }),
    on(AmenityChanged, async (ctx, { propertyId, roomTypeId, amenities }, { metadata }) => {
      if (roomTypeId !== null) return 'noop'; // told again with the type itself
      const version = metadata.aggregateVersion;
      if ((await changeAmenities(ctx, { propertyId, amenities, version })) === 0) return 'noop';
      await stale(ctx, propertyId, 'facts');
    }),
    on(RoomTypePublished, async (ctx, payload) => {
      const { roomTypeId, propertyId, maxAdults, maxChildren, maxGuests, amenities, photoIds } = payload;
      const name = texts(payload.name);
      const type = { roomTypeId, propertyId, name, maxAdults, maxChildren, maxGuests, amenities };
      const heard = { ...type, coverPhotoId: photoIds[0] ?? null };
      if ((await rememberRoomType(ctx, heard, payload.specVersion)) === 0) return 'noop';
      await stale(ctx, propertyId, 'facts', 'prices');
    }),
    on(RoomAdded, async (ctx, { roomId, propertyId, roomTypeId, sellableFrom }) => {
      await rememberRoom(ctx, { roomId, propertyId, roomTypeId, sellableFrom: sellableFrom as LocalDate });
      await recounted(ctx, propertyId);
    }),
    on(RoomArchived, async (ctx, { roomId, propertyId, roomTypeId, closedFrom }) => {
      await rememberRoom(ctx, { roomId, propertyId, roomTypeId, closedFrom: closedFrom as LocalDate });
      await recounted(ctx, propertyId);
    }),
    on(TicketOpened, (ctx, { propertyId, block }) =>
      block === 'out_of_order' ? recounted(ctx, propertyId) : 'noop',
    ),
    on(TicketClosed, (ctx, { propertyId, roomId }) =>
      roomId === null ? 'noop' : recounted(ctx, propertyId),
    ),
    on(AllocationCommitted, changes('availability')), // SAGA-23
    on(AllocationReleased, changes('availability')),
    on(AllocationReallocated, changes('availability')),
    on(StopSellActivated, changes('availability')),
    on(StopSellCleared, changes('availability')),
    on(RatePlanPublished, changes('prices')),
    on(RatePlanArchived, changes('prices')),
    on(CalendarUpdated, changes('prices')),
  ] as Reaction[];
}

function texts(localised: Localised): Localised {
  return localised.map(({ locale, text }) => ({ locale, text }));
}

/** A tenant that may not sell is not found from this moment on; its houses come back when it is said to sell again. */
async function suspend(ctx: Ctx, reindex: Reindex, version: number): Promise<ReactionResult> {
  if (!(await rememberSuspension(ctx, version))) return 'noop';
  const events: PendingEvent[] = [];
  for (const propertyId of await listedHouses(ctx.tx)) {
    const before = await lockListing(ctx.tx, propertyId);
    events.push(...(await evict(ctx, propertyId, before, 'tenant_suspended')));
  }
  for (const id of await listHouses(ctx.tx))
    await markStale(ctx, reindex, { propertyId: idFromUuid('pro', id), parts: ['facts'] });
  return events;
}
