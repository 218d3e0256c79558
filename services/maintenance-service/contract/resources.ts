import { isOncePer } from '@melmastoon/catalog/hotel-parts';
import { idText, instant, line, localDate, paragraphs, price, version } from '@melmastoon/catalog/parts';
import { z } from 'zod';
import { areas, resolutions, severities, ticketCategories } from '../contract.ts';

const paragraph = paragraphs(2_000);

/** A hotel day of our time: a typing error of a century is refused. */
const hotelDay = localDate.refine(
  text => text >= '2000-01-01' && text < '2200-01-01',
  'is no day of our time',
);

const note = line(500).nullable().default(null);
const photoIds = z.array(idText('fil')).max(20).refine(isOncePer(String), 'has a photo twice');

/** Nights `[from, until)` that a room is out for; out of order leaves the inventory, out of service stays sellable. */
export const newBlock = z
  .strictObject({ kind: z.enum(['out_of_service', 'out_of_order']), from: hotelDay, until: hotelDay })
  .refine(({ from, until }) => from < until, 'ends before it starts');

const place = {
  roomId: idText('rom').nullable().default(null),
  area: z.enum(areas).nullable().default(null),
};

const words = {
  severity: z.enum(severities),
  title: line(120),
  description: paragraph.nullable().default(null),
  photoIds: photoIds.default([]),
};

/** What is broken: in a room or an area, one of them. */
export const newTicket = z
  .strictObject({
    propertyId: idText('pro'),
    ...place,
    category: z.enum(ticketCategories),
    ...words,
    block: newBlock.nullable().default(null),
    reservationId: idText('rsv').nullable().default(null),
    taskId: idText('hkt').nullable().default(null),
  })
  .refine(
    ({ roomId, area }) => (roomId === null) !== (area === null),
    'is about a room or an area, one of them',
  )
  .refine(({ roomId, block }) => block === null || roomId !== null, 'only a room is taken out');

/** What goes on from a ticket: it is broken again, or needs more nights. */
export const newFollowUp = z.strictObject({ ...words, block: newBlock.nullable().default(null) });

/** Other words for a ticket, based on a version. */
export const ticketPatch = z
  .strictObject({
    version,
    severity: words.severity.optional(),
    title: words.title.optional(),
    description: paragraph.nullable().optional(),
    photoIds: photoIds.optional(),
  })
  .refine(patch => Object.keys(patch).length > 1, 'nothing to change');

/** Who gets a ticket. */
export const assignment = z.strictObject({ assigneeId: idText('usr'), note });

/** Work begins or goes on. */
export const start = z.strictObject({ note });

/** What work waits for. */
export const hold = z.strictObject({ note: line(500) });

/** Money of one part or of the labour: at most a trillion minor units, so that a sum always fits. */
const cost = price.refine(({ amount }) => amount.length <= 13, 'is more than a repair can cost');

/** What was done and what it cost. */
export const repair = z.strictObject({
  resolution: z.enum(['repaired', 'replaced', 'no_fault_found']),
  needsCleaning: z.boolean().optional(),
  parts: z
    .array(z.strictObject({ name: line(120), quantity: z.int().min(1).max(10_000), cost }))
    .max(50)
    .default([]),
  labour: z.strictObject({ minutes: z.int().min(0).max(100_000), cost }),
  note,
});

/** Why nobody will work on it. */
export const cancellation = z.strictObject({
  resolution: z.enum(['duplicate', 'will_not_repair', 'no_fault_found']),
  note,
});

/** Which tickets to list. */
export const ticketQuery = z.strictObject({
  propertyId: idText('pro'),
  status: z.enum(['open', 'closed']).optional(),
  roomId: idText('rom').optional(),
  assigneeId: idText('usr').optional(),
  before: idText('mtk').optional(),
  limit: z.coerce.number().int().min(1).max(200).default(100),
});

const money = z.strictObject({ amount: z.string(), currency: z.string() });

/** A ticket as staff sees it. */
export const ticketView = z.strictObject({
  id: idText('mtk'),
  propertyId: idText('pro'),
  roomId: idText('rom').nullable(),
  area: z.enum(areas).nullable(),
  category: z.enum(ticketCategories),
  severity: z.enum(severities),
  title: z.string(),
  description: z.string().nullable(),
  status: z.enum(['open', 'assigned', 'in_progress', 'on_hold', 'done', 'cancelled']),
  block: z.strictObject({ kind: z.string(), from: localDate, until: localDate }).nullable(),
  photoIds: z.array(idText('fil')),
  reportedBy: idText('usr').nullable(),
  reservationId: idText('rsv').nullable(),
  taskId: idText('hkt').nullable(),
  follows: idText('mtk').nullable(),
  planId: z.uuid().nullable(),
  dueOn: localDate.nullable(),
  assigneeId: idText('usr').nullable(),
  openedAt: instant,
  closedAt: instant.nullable(),
  closedBy: idText('usr').nullable(),
  resolution: z.enum(resolutions).nullable(),
  needsCleaning: z.boolean().nullable(),
  parts: z.array(z.strictObject({ name: z.string(), quantity: z.int(), cost: money })),
  labour: z.strictObject({ minutes: z.int(), cost: money }),
  cost: money,
  version,
});
export type TicketView = z.output<typeof ticketView>;

/** A ticket with everything that was done about it. */
export const ticketHistory = z.strictObject({
  ticket: ticketView,
  steps: z.array(
    z.strictObject({
      status: ticketView.shape.status,
      at: instant,
      by: idText('usr').nullable(),
      note: z.string().nullable(),
    }),
  ),
});

/** Work that comes round: in a room, in an area, or in every room. */
export const newPlan = z
  .strictObject({
    propertyId: idText('pro'),
    ...place,
    everyRoom: z.boolean().default(false),
    category: z.enum(ticketCategories),
    severity: z.enum(severities),
    title: line(120),
    everyDays: z.int().min(1).max(3_660),
    nextDue: hotelDay,
  })
  .refine(
    ({ roomId, area, everyRoom }) => [roomId !== null, area !== null, everyRoom].filter(Boolean).length === 1,
    'is about a room, an area or every room, one of them',
  );

/** A plan as staff sees it. */
export const planView = z.strictObject({
  id: z.uuid(),
  propertyId: idText('pro'),
  roomId: idText('rom').nullable(),
  area: z.enum(areas).nullable(),
  everyRoom: z.boolean(),
  category: z.enum(ticketCategories),
  severity: z.enum(severities),
  title: z.string(),
  everyDays: z.int(),
  nextDue: localDate,
  ended: z.boolean(),
  version,
});
