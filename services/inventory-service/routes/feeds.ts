import { tenantRead } from '@ghasi/db/tenant-transaction';
import { coreErrors } from '@ghasi/domain-primitives/errors';
import { type AnyRoute, defineRoute, type LateCtx, operator } from '@ghasi/http/route';
import { idText } from '@melmastoon/catalog/parts';
import { z } from 'zod';
import type { Calendars } from '../calendars.ts';
import { addFeed, changeFeed, removeFeed } from '../commands/feeds.ts';
import { type Imported, importFeed, type Looked, look } from '../commands/import-feed.ts';
import { feedPatch, feedView, importView, newFeed, uploadedCalendar } from '../contract/calendars.ts';
import { errors } from '../errors.ts';
import { type Feed, findFeed, listFeeds } from '../queries/feeds.ts';

const readers = ['owner', 'manager', 'front_desk', 'auditor'];
const desk = ['owner', 'manager', 'front_desk'];
const managers = ['owner', 'manager'];
const ofFeed = z.strictObject({ feedId: idText('cfd') });

const when = (at: Date | null) => at?.toISOString() ?? null;

const feedOf = (feed: Feed) => ({
  id: feed.id,
  propertyId: feed.propertyId,
  roomId: feed.roomId,
  roomTypeId: feed.roomTypeId,
  name: feed.name,
  origin: feed.url === null ? null : new URL(feed.url).origin,
  ignored: [...feed.ignored],
  status: feed.status,
  checkedAt: when(feed.checkedAt),
  importedAt: when(feed.importedAt),
  lastError: feed.lastError,
  failures: feed.failures,
  nextFetchAt: when(feed.nextFetchAt),
});

const importOf = ({ feed, ...imported }: Imported) => ({ ...imported, feed: feedOf(feed) });

const listAll = defineRoute({
  method: 'GET',
  path: '/api/v1/calendar-feeds',
  summary: 'Calendars of portals that are read, and how the last time went',
  auth: operator(readers),
  query: z.strictObject({ propertyId: idText('pro') }),
  returns: { 200: z.strictObject({ feeds: z.array(feedView) }) },
  handler: async (ctx, { query }) => {
    const feeds = await listFeeds(ctx, query.propertyId);
    return { status: 200, body: { feeds: feeds.map(feedOf) } };
  },
});

const remove = defineRoute({
  method: 'DELETE',
  path: '/api/v1/calendar-feeds/:feedId',
  summary: 'Read a calendar no more; what it blocked and has not begun comes free',
  auth: operator(managers),
  params: ofFeed,
  returns: { 204: z.undefined() },
  handler: async (ctx, { params }) => {
    await removeFeed(ctx, params);
    return { status: 204 };
  },
});

type Late = Pick<
  LateCtx<{ kind: 'operator'; roles: readonly string[] }, never>,
  'db' | 'tenantId' | 'actor' | 'log'
>;

/** The feed, read in a transaction of its own: what follows takes long. */
async function load({ db, tenantId, actor, log }: Late, feedId: Feed['id']): Promise<Feed> {
  const feed = await tenantRead(db, { tenantId, actor, log }, ctx => findFeed(ctx, feedId));
  if (feed === undefined) throw coreErrors.NOT_FOUND({ entity: 'Feed' });
  return feed;
}

async function taken(imported: Promise<Imported | undefined>) {
  const found = await imported;
  if (found === undefined) throw coreErrors.NOT_FOUND({ entity: 'Feed' }); // removed in this very moment
  return { status: 200 as const, body: importOf(found) };
}

const upload = defineRoute({
  method: 'POST',
  path: '/api/v1/calendar-feeds/:feedId/upload',
  summary: 'Take over a calendar that is sent along',
  auth: operator(desk),
  params: ofFeed,
  body: uploadedCalendar,
  returns: { 200: importView },
  errors: [errors.FEED_UNREADABLE],
  transaction: 'late',
  handler: async (ctx, { params: { feedId }, body }) => {
    const { zone } = await load(ctx, feedId);
    const bytes = new TextEncoder().encode(body.calendar);
    const looked = look({ kind: 'fresh', bytes, etag: null, lastModified: null }, zone);
    if (looked.kind === 'failed') throw errors.FEED_UNREADABLE({ reason: looked.reason });
    return ctx.commit(inner => taken(importFeed(inner, { feedId, looked })));
  },
});

/** Calendars that portals publish about our rooms. */
export function feedRoutes({ options, fetchCalendar }: Calendars): readonly AnyRoute[] {
  const add = defineRoute({
    method: 'POST',
    path: '/api/v1/calendar-feeds',
    summary: 'Read a calendar that a portal publishes about a room or room type',
    auth: operator(managers),
    body: newFeed,
    returns: { 201: feedView },
    errors: [errors.FEED_ADDRESS_REFUSED, errors.TOO_MANY_FEEDS, errors.ZONE_UNKNOWN],
    handler: async (ctx, { body }) => ({ status: 201, body: feedOf(await addFeed(ctx, body, options)) }),
  });

  const change = defineRoute({
    method: 'PATCH',
    path: '/api/v1/calendar-feeds/:feedId',
    summary: 'Pause a feed, go on with it, or change its address or what it ignores',
    auth: operator(managers),
    params: ofFeed,
    body: feedPatch,
    returns: { 200: feedView },
    errors: [errors.FEED_ADDRESS_REFUSED],
    handler: async (ctx, { params, body }) => ({
      status: 200,
      body: feedOf(await changeFeed(ctx, { ...params, ...body }, options)),
    }),
  });

  const importNow = defineRoute({
    method: 'POST',
    path: '/api/v1/calendar-feeds/:feedId/import',
    summary: 'Fetch a calendar now',
    auth: operator(desk),
    params: ofFeed,
    returns: { 200: importView },
    errors: [errors.FEED_WITHOUT_ADDRESS],
    rateLimit: { limit: 30, windowMs: 60_000, per: 'tenant' },
    transaction: 'late',
    handler: async (ctx, { params: { feedId } }, { signal }) => {
      const { url, zone, etag, lastModified } = await load(ctx, feedId);
      if (url === null) throw errors.FEED_WITHOUT_ADDRESS();
      const looked: Looked = look(await fetchCalendar(url, { etag, lastModified, signal }), zone);
      return ctx.commit(inner => taken(importFeed(inner, { feedId, looked })));
    },
  });

  return [listAll, add, change, remove, importNow, upload];
}
