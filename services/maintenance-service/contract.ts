import { defineEvent } from '@melmastoon/catalog/define-event';
import { count, days } from '@melmastoon/catalog/hotel-parts';
import { idText, instant, price } from '@melmastoon/catalog/parts';
import { sameSum } from '@melmastoon/catalog/same-sum';
import { z } from 'zod';

/** What is broken. */
export const ticketCategories = [
  'plumbing',
  'electrical',
  'heating_cooling',
  'furniture',
  'door_lock',
  'appliance',
  'internet',
  'structure',
  'safety',
  'other',
] as const;

/** How much it matters, from least to most. */
export const severities = ['cosmetic', 'inconvenient', 'urgent', 'dangerous'] as const;

/** Places that are no rooms. */
export const areas = [
  'lobby',
  'corridor',
  'kitchen',
  'bathroom',
  'garden',
  'roof',
  'plant',
  'other',
] as const;

/** What a ticket does to its room: out of order leaves the inventory, out of service stays sellable (R11). */
export const blocks = ['none', 'out_of_service', 'out_of_order'] as const;

/** How a ticket ended. */
export const resolutions = [
  'repaired',
  'replaced',
  'no_fault_found',
  'duplicate',
  'will_not_repair',
] as const;

const ticket = {
  ticketId: idText('mtk'),
  propertyId: idText('pro'),
  /** Null when it is about an area. */
  roomId: idText('rom').nullable(),
  area: z.enum(areas).nullable(),
  category: z.enum(ticketCategories),
};

type Place = { readonly roomId: string | null; readonly area: string | null };
const isOnePlace = ({ roomId, area }: Place) => (roomId === null) !== (area === null);

/** Something needs repair; housekeeping takes the room out for the days given, inventory off sale when out of order. */
export const TicketOpened = defineEvent({
  subject: 'melmastoon.maintenance.ticket.opened.v1',
  summary: 'a work order was opened',
  retention: 'warm',
  payload: z
    .strictObject({
      ...ticket,
      severity: z.enum(severities),
      block: z.enum(blocks),
      /** The nights the room is blocked for; null with `none`. */
      blockedDays: days.nullable(),
      openedAt: instant,
      /** Null when a device or a schedule reported it. */
      reportedBy: idText('usr').nullable(),
      /** The stay that suffers; null when nobody is in the room. */
      reservationId: idText('rsv').nullable(),
      taskId: idText('hkt').nullable(),
    })
    .refine(isOnePlace, 'is about a room or an area, one of them')
    .refine(
      ({ block, blockedDays, roomId }) =>
        block === 'none' ? blockedDays === null : blockedDays !== null && roomId !== null,
      'a block has a room and days, and only a block has',
    ),
  aggregateId: p => p.ticketId,
  idempotencyKey: (p, { aggregateVersion }) => `${p.ticketId}:opened:${aggregateVersion}`,
});

/** A repair is over; the room comes back, and the costs are known. */
export const TicketClosed = defineEvent({
  subject: 'melmastoon.maintenance.ticket.closed.v1',
  summary: 'a work order was closed, with parts and labour',
  retention: 'warm',
  payload: z
    .strictObject({
      ...ticket,
      resolution: z.enum(resolutions),
      /** The block that ends with it. */
      block: z.enum(blocks),
      /** True when the room must be cleaned before it is sold. */
      needsCleaning: z.boolean(),
      closedAt: instant,
      closedBy: idText('usr'),
      parts: z.array(
        z.strictObject({ name: z.string().min(1).max(120), quantity: count.min(1), cost: price }),
      ),
      labour: z.strictObject({ minutes: count, cost: price }),
      cost: price,
    })
    .refine(isOnePlace, 'is about a room or an area, one of them')
    .refine(
      ({ parts, labour, cost }) => sameSum([labour.cost, ...parts.map(part => part.cost)], [cost]),
      'parts and labour do not make the cost',
    ),
  aggregateId: p => p.ticketId,
  idempotencyKey: (p, { aggregateVersion }) => `${p.ticketId}:closed:${aggregateVersion}`,
});

/** Every event of maintenance-service. */
export const events = [TicketOpened, TicketClosed] as const;
