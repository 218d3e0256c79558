import { sql } from '@ghasi/db/drizzle';
import { rows } from '@ghasi/db/sql';
import { idFromUuid, type TenantId } from '@ghasi/domain-primitives/ids';
import { defineJob, every, type JobDefinition } from '@ghasi/jobs/define-job';
import { enqueue } from '@ghasi/jobs/enqueue';
import { idText } from '@melmastoon/catalog/parts';
import { z } from 'zod';
import type { Calendars } from './calendars.ts';
import { FETCH_EVERY_MS, importFeed, look } from './commands/import-feed.ts';
import { findFeed, takeTurn } from './queries/feeds.ts';

/** Most feeds whose turn comes in one round; the next round is two minutes later. */
const ROUND = 500;

const definition = {
  name: 'ical.import',
  service: 'inventory',
  scope: 'tenant',
  queue: 'bulk',
  input: z.strictObject({ feedId: idText('cfd') }),
  maxRetries: 2, // for a lost race with a booking; a portal that fails is no error here, its feed says when it is tried again
  timeoutSeconds: 60,
  transaction: 'none',
} as const;

/** JOB-31: fetches one calendar and takes it over: read, fetch without a transaction, write. */
export function importCalendar({ fetchCalendar }: Calendars): JobDefinition {
  return defineJob({
    ...definition,
    async run(ctx, { feedId }) {
      const feed = await ctx.transaction(inner => findFeed(inner, feedId));
      if (feed === undefined || feed.status !== 'active' || feed.url === null) return { outcome: 'gone' };
      const { url, etag, lastModified, zone } = feed;
      const fetched = await fetchCalendar(url, { etag, lastModified, signal: ctx.job.signal });
      const looked = look(fetched, zone);
      const imported = await ctx.transaction(inner =>
        importFeed({ ...inner, now: ctx.now }, { feedId, looked }),
      );
      return { outcome: imported?.outcome ?? 'gone' };
    },
  }) as unknown as JobDefinition;
}

/** What a round enqueues; the function above is bound to the way to portals. */
const toImport = defineJob({
  ...definition,
  run: async () => {
    throw new Error('this job is bound to its portals in importCalendar');
  },
});

type Due = { tenantId: TenantId; id: string };

/** JOB-31: every feed whose time has come gets its turn. Rows carry the time, so nothing depends on a job that was lost. */
export const sweepFeeds = defineJob({
  name: 'ical.sync',
  service: 'inventory',
  scope: 'system',
  queue: 'scheduled',
  input: z.strictObject({}),
  transaction: 'none',
  async run(ctx) {
    const due = await ctx.transaction(({ tx }) =>
      rows<Due>(tx, sql`select tenant_id as "tenantId", id from inventory.due_feeds(${ctx.now}, ${ROUND})`),
    );
    for (const { tenantId, id } of due) {
      if (ctx.job.signal.aborted) break;
      const feedId = idFromUuid('cfd', id);
      await ctx.transaction(
        async inner => {
          const next = new Date(ctx.now.getTime() + FETCH_EVERY_MS);
          if (await takeTurn({ ...inner, now: ctx.now }, feedId, next))
            await enqueue(inner, toImport, { feedId }, { key: feedId });
        },
        { tenantId },
      );
    }
    return { due: due.length };
  },
});

/** How often it is looked whose turn it is. */
export const syncCalendars = every('2m', sweepFeeds);
