import type { Ctx } from '@ghasi/db/tenant-transaction';
import { coreErrors } from '@ghasi/domain-primitives/errors';
import type { Id } from '@ghasi/domain-primitives/ids';
import { localDateIn } from '@ghasi/domain-primitives/zone';
import { type FetchOptions, whyNotFetched } from '../calendar/fetch-calendar.ts';
import { DEFAULT_IGNORED } from '../calendar/ignored.ts';
import { errors } from '../errors.ts';
import { countFeeds, type Feed, insertFeed, lockFeed, saveFeed } from '../queries/feeds.ts';
import { lockBlocksOfFeed } from '../queries/imported-blocks.ts';
import type { Place } from '../queries/places.ts';
import { zoneOf } from '../queries/properties.ts';
import { findRoom, findRoomType } from '../queries/rooms.ts';
import { settleBlocks } from './settle-blocks.ts';

/** A room is on a handful of portals; more feeds than this are a mistake or an attack on somebody else. */
const MOST_FEEDS = 10;

/** What staff ask for. */
export type AddFeed = {
  roomId?: Id<'rom'> | undefined;
  roomTypeId?: Id<'rty'> | undefined;
  name: string;
  url: string | null;
  ignored?: readonly string[] | undefined;
};

/** Takes a portal's calendar on; it is fetched with the next round. */
export async function addFeed(ctx: Ctx, input: AddFeed, allowed: FetchOptions): Promise<Feed> {
  const { name, url } = input;
  assertFetchable(url, allowed);
  const place = { roomId: input.roomId ?? null, roomTypeId: input.roomTypeId ?? null };
  const propertyId = await propertyOf(ctx, place);
  const zone = await zoneOf(ctx, propertyId);
  if (zone === undefined) throw errors.ZONE_UNKNOWN();
  if ((await countFeeds(ctx, place)) >= MOST_FEEDS) throw errors.TOO_MANY_FEEDS({ most: MOST_FEEDS });
  const feed: Feed = {
    ...place,
    ...{ id: ctx.newId('cfd'), propertyId, zone, name, url, status: 'active' },
    ignored: input.ignored ?? DEFAULT_IGNORED,
    ...{ etag: null, lastModified: null, checkedAt: null, importedAt: null, lastError: null, failures: 0 },
    nextFetchAt: url === null ? null : ctx.now,
  };
  await insertFeed(ctx, feed);
  return feed;
}

/** A change of a feed; what is undefined stays. */
export type ChangeFeed = {
  feedId: Id<'cfd'>;
  name?: string | undefined;
  url?: string | null | undefined;
  ignored?: readonly string[] | undefined;
  paused?: boolean | undefined;
};

/** Changes a feed. Whatever makes its calendar mean something else also makes the next round read it anew. */
export async function changeFeed(ctx: Ctx, input: ChangeFeed, allowed: FetchOptions): Promise<Feed> {
  const feed = await lockFeed(ctx, input.feedId);
  if (feed === undefined) throw coreErrors.NOT_FOUND({ entity: 'Feed' });
  if (input.url !== undefined) assertFetchable(input.url, allowed);
  const url = input.url === undefined ? feed.url : input.url;
  const status = input.paused === undefined ? feed.status : input.paused ? 'paused' : 'active';
  const isAnew = input.url !== undefined || input.ignored !== undefined;
  const changed: Feed = {
    ...feed,
    name: input.name ?? feed.name,
    url,
    status,
    ignored: input.ignored ?? feed.ignored,
    ...(isAnew ? { etag: null, lastModified: null, failures: 0 } : {}),
    nextFetchAt: nextTurn(ctx, { url, status, was: feed, isAnew }),
  };
  await saveFeed(ctx, changed);
  return changed;
}

/** Gives a feed up: blocks that have not begun end, a guest who is there stays. Its address is forgotten. */
export async function removeFeed(ctx: Ctx, { feedId }: { feedId: Id<'cfd'> }): Promise<void> {
  const feed = await lockFeed(ctx, feedId);
  if (feed === undefined) throw coreErrors.NOT_FOUND({ entity: 'Feed' });
  const today = localDateIn(feed.zone, ctx.now);
  const known = await lockBlocksOfFeed(ctx, { feedId, uids: [], today });
  const drops = known.filter(
    ({ status, from }) => status === 'waiting' || (status === 'active' && from > today),
  );
  await settleBlocks(ctx, { ...feed, feedId, today }, { wishes: [], drops, ending: 'feed_removed' });
  await saveFeed(ctx, {
    ...feed,
    status: 'removed',
    url: null,
    etag: null,
    lastModified: null,
    nextFetchAt: null,
  });
}

function nextTurn(
  ctx: Ctx,
  { url, status, was, isAnew }: { url: string | null; status: Feed['status']; was: Feed; isAnew: boolean },
): Date | null {
  if (url === null || status !== 'active') return null;
  return isAnew || was.status !== 'active' ? ctx.now : was.nextFetchAt;
}

function assertFetchable(url: string | null, allowed: FetchOptions): void {
  const reason = url === null ? undefined : whyNotFetched(url, allowed);
  if (reason !== undefined) throw errors.FEED_ADDRESS_REFUSED({ reason });
}

/** The property of a room or type. */
export async function propertyOf(ctx: Ctx, { roomId, roomTypeId }: Place): Promise<Id<'pro'>> {
  const room = roomId === null ? undefined : await findRoom(ctx, roomId);
  const type = roomTypeId === null ? undefined : await findRoomType(ctx, roomTypeId);
  const found = room ?? type;
  if (found === undefined) throw coreErrors.NOT_FOUND({ entity: roomId === null ? 'Room type' : 'Room' });
  return found.propertyId;
}
