import { sql } from '@ghasi/db/drizzle';
import { idFromUuid, type TenantId } from '@ghasi/domain-primitives/ids';
import { every, type JobDefinition } from '@ghasi/jobs/define-job';
import { defineSweep } from '@ghasi/jobs/define-sweep';
import { bindTask, defineTask } from '@ghasi/jobs/define-task';
import { enqueue } from '@ghasi/jobs/enqueue';
import { idText } from '@melmastoon/catalog/parts';
import { z } from 'zod';
import type { Calendars } from './calendars.ts';
import { FETCH_EVERY_MS, importFeed, look } from './commands/import-feed.ts';
import { findFeed, takeTurn } from './queries/feeds.ts';

/** Most feeds whose turn comes in one round; the next round is two minutes later. */
const ROUND = 500;

/** JOB-31: fetches one calendar and takes it over. */
const importOne = defineTask({
  name: 'ical.import',
  service: 'inventory',
  scope: 'tenant',
  queue: 'bulk',
  input: z.strictObject({ feedId: idText('cfd') }),
  maxRetries: 2, // for a lost race with a booking; a portal that fails is no error here, its feed says when it is tried again
  timeoutSeconds: 60,
});

/** The same, bound to the way to portals: read, fetch without a transaction, write. */
export function importCalendar({ fetchCalendar }: Calendars): JobDefinition {
  return bindTask(importOne, async (ctx, { feedId }) => {
    const feed = await ctx.transaction(inner => findFeed(inner, feedId));
    if (feed === undefined || feed.status !== 'active' || feed.url === null) return { outcome: 'gone' };
    const { url, etag, lastModified, zone } = feed;
    const fetched = await fetchCalendar(url, { etag, lastModified, signal: ctx.job.signal });
    const looked = look(fetched, zone);
    const imported = await ctx.transaction(inner =>
      importFeed({ ...inner, now: ctx.now }, { feedId, looked }),
    );
    return { outcome: imported?.outcome ?? 'gone' };
  });
}

/** JOB-31: every feed whose time has come gets its turn. */
export const sweepFeeds = defineSweep<{ tenantId: TenantId; id: string }>({
  name: 'ical.sync',
  service: 'inventory',
  most: ROUND,
  due: (now, most) => sql`select tenant_id as "tenantId", id from inventory.due_feeds(${now}, ${most})`,
  async each(ctx, { id }) {
    const feedId = idFromUuid('cfd', id);
    const next = new Date(ctx.now.getTime() + FETCH_EVERY_MS);
    if (await takeTurn(ctx, feedId, next)) await enqueue(ctx, importOne, { feedId }, { key: feedId });
  },
});

/** How often it is looked whose turn it is. */
export const syncCalendars = every('2m', sweepFeeds);
