import type { Ctx } from '@ghasi/db/tenant-transaction';
import { hours, minutes } from '@ghasi/domain-primitives/duration';
import type { Id } from '@ghasi/domain-primitives/ids';
import { localDateIn, type Zone } from '@ghasi/domain-primitives/zone';
import type { Fetched, Validators } from '../calendar/fetch-calendar.ts';
import { followFeed } from '../calendar/follow-feed.ts';
import { type CalendarEvent, readCalendar } from '../calendar/read-calendar.ts';
import { UnreadableCalendar } from '../calendar/unreadable-calendar.ts';
import type { ImportCounts } from '../contract/calendars.ts';
import { type Feed, lockFeed, saveFeed } from '../queries/feeds.ts';
import { lockBlocksOfFeed } from '../queries/imported-blocks.ts';
import { settleBlocks } from './settle-blocks.ts';

/** How often a feed is fetched that answers. Portals themselves compute their calendars a few times an hour. */
export const FETCH_EVERY_MS = minutes(15);
const SELDOM_MS = hours(6);

/** What came of looking at a portal, read outside of any transaction. */
export type Looked =
  | ({ readonly kind: 'calendar'; readonly events: readonly CalendarEvent[] } & Validators)
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'failed'; readonly reason: string };

/** What an import ended with. */
export type Imported = {
  readonly outcome: 'imported' | 'unchanged' | 'failed';
  readonly error: string | null;
  readonly counts: ImportCounts | null;
  readonly feed: Feed;
};

/** Reads what was fetched; a calendar that cannot be read is a failure of the feed like any other. */
export function look(fetched: Fetched, zone: Zone): Looked {
  if (fetched.kind !== 'fresh') return fetched;
  const { bytes, etag, lastModified } = fetched;
  try {
    return { kind: 'calendar', events: readCalendar(bytes, zone), etag, lastModified };
  } catch (error) {
    if (error instanceof UnreadableCalendar) return { kind: 'failed', reason: error.reason };
    throw error;
  }
}

/** When a feed is fetched again: soon while it answers, ever more seldom while it does not, at least every six hours. */
export function nextFetch(
  { url, status }: Pick<Feed, 'url' | 'status'>,
  failures: number,
  now: Date,
): Date | null {
  if (url === null || status !== 'active') return null;
  const waitMs = Math.min(FETCH_EVERY_MS * 2 ** Math.max(0, Math.min(failures, 10) - 1), SELDOM_MS);
  return new Date(now.getTime() + waitMs);
}

/** Takes a calendar over (R13), or notes why there is none; undefined when the feed was removed meanwhile. */
export async function importFeed(
  ctx: Ctx,
  { feedId, looked }: { feedId: Id<'cfd'>; looked: Looked },
): Promise<Imported | undefined> {
  const feed = await lockFeed(ctx, feedId);
  if (feed === undefined) return undefined;
  const failures = looked.kind === 'failed' ? feed.failures + 1 : 0;
  const checked: Feed = {
    ...feed,
    checkedAt: ctx.now,
    failures,
    lastError: looked.kind === 'failed' ? looked.reason : null,
    nextFetchAt: nextFetch(feed, failures, ctx.now),
  };
  if (looked.kind === 'failed') {
    await saveFeed(ctx, checked);
    ctx.log.warn({ feedId, failures, reason: looked.reason }, 'a calendar was not imported');
    return { outcome: 'failed', error: looked.reason, counts: null, feed: checked };
  }
  const counts = looked.kind === 'calendar' ? await takeOver(ctx, feed, looked.events) : null;
  const { etag, lastModified } = looked.kind === 'calendar' ? looked : feed;
  const taken = { ...checked, importedAt: ctx.now, etag, lastModified };
  await saveFeed(ctx, taken);
  return { outcome: counts === null ? 'unchanged' : 'imported', error: null, counts, feed: taken };
}

async function takeOver(ctx: Ctx, feed: Feed, told: readonly CalendarEvent[]): Promise<ImportCounts> {
  const today = localDateIn(feed.zone, ctx.now);
  const { id: feedId, ignored } = feed;
  const known = await lockBlocksOfFeed(ctx, { feedId, uids: told.map(({ uid }) => uid), today });
  const { wishes, drops, ...seen } = followFeed({ today, known, told, ignored });
  const granted = await settleBlocks(ctx, { ...feed, feedId, today }, { wishes, drops, ending: 'vanished' });
  const added = granted.filter(({ block }) => block === null).length;
  const moved = granted.filter(
    ({ block, from, until }) => block !== null && (block.from !== from || block.until !== until),
  ).length;
  const waiting = granted.filter(({ status }) => status === 'waiting').length;
  if (waiting > 0) ctx.log.warn({ feedId, waiting }, 'a portal sold nights that are ours to somebody else');
  return { ...seen, added, moved, dropped: drops.length, waiting };
}
