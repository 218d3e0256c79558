import { idText, instant, line } from '@melmastoon/catalog/parts';
import { z } from 'zod';
import { feedStatuses } from '../model.ts';

const hasOnePlace = ({ roomId, roomTypeId }: { roomId?: unknown; roomTypeId?: unknown }) =>
  (roomId === undefined) !== (roomTypeId === undefined);

const place = { roomId: idText('rom').optional(), roomTypeId: idText('rty').optional() };

/** Where a portal publishes its calendar; checked further by the command. */
const url = z.url({ protocol: /^https?$/ }).max(2_048);

/** Summaries of events that are no bookings; letter case does not matter, `*` stands for anything. */
const ignored = z.array(line(120)).max(50);

/** A calendar to be read: of a room, or of any one room of a type. Without a url it is only uploaded. */
export const newFeed = z
  .strictObject({
    ...place,
    name: line(80),
    url: url.nullable().default(null),
    /** Default: what portals call windows that are no bookings. */
    ignored: ignored.optional(),
  })
  .refine(hasOnePlace, 'names a room or a room type');

/** A change of a feed; what is left out stays. */
export const feedPatch = z
  .strictObject({
    name: line(80).optional(),
    url: url.nullable().optional(),
    ignored: ignored.optional(),
    paused: z.boolean().optional(),
  })
  .refine(patch => Object.keys(patch).length > 0, 'nothing to change');

/** A feed as staff see it. The address holds a secret of the portal, so only its origin is shown. */
export const feedView = z.strictObject({
  id: idText('cfd'),
  propertyId: idText('pro'),
  roomId: idText('rom').nullable(),
  roomTypeId: idText('rty').nullable(),
  name: z.string(),
  origin: z.string().nullable(),
  ignored: z.array(z.string()),
  status: z.enum(feedStatuses),
  checkedAt: instant.nullable(),
  importedAt: instant.nullable(),
  lastError: z.string().nullable(),
  failures: z.int(),
  nextFetchAt: instant.nullable(),
});

/** What an import did. */
export const importCounts = z.strictObject({
  /** Events that are bookings and not over, and events that were not looked at. */
  booked: z.int(),
  ignored: z.int(),
  added: z.int(),
  moved: z.int(),
  dropped: z.int(),
  /** Blocks of the feed that want nights which somebody else has. */
  waiting: z.int(),
});
export type ImportCounts = z.output<typeof importCounts>;

/** How an import went; a portal that does not answer is not an error of this request. */
export const importView = z.strictObject({
  outcome: z.enum(['imported', 'unchanged', 'failed']),
  error: z.string().nullable(),
  counts: importCounts.nullable(),
  feed: feedView,
});

/** A calendar as text. The host takes 1 MB of body; what is fetched may have 2 MB. */
export const uploadedCalendar = z.strictObject({ calendar: z.string().min(1).max(1_048_576) });

/** What is to be published: when a room, or every room of a type, is busy. */
export const newCalendar = z
  .strictObject({
    ...place,
    /** The feed of the portal that will read it: what it told us is left out, or it would hear its own bookings back. */
    exceptFeedId: idText('cfd').optional(),
  })
  .refine(hasOnePlace, 'names a room or a room type');

/** A published calendar as staff see it. */
export const calendarView = z.strictObject({
  id: idText('cal'),
  propertyId: idText('pro'),
  roomId: idText('rom').nullable(),
  roomTypeId: idText('rty').nullable(),
  exceptFeedId: idText('cfd').nullable(),
  createdAt: instant,
});

/** The same with its secret path, which is told once. */
export const publishedCalendar = calendarView.extend({ path: z.string() });

/** The secret of a published calendar: 32 bytes. */
export const calendarToken = z.strictObject({ token: z.string().regex(/^[A-Za-z0-9_-]{43}$/) });
