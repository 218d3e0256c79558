import { sql } from '@ghasi/db/drizzle';
import { rows } from '@ghasi/db/sql';
import type { TenantId } from '@ghasi/domain-primitives/ids';
import { defineJob, every } from '@ghasi/jobs/define-job';
import { inTurn } from '@ghasi/jobs/in-turn';
import { z } from 'zod';
import { extendNights } from './commands/capacity.ts';
import { releaseExpired } from './commands/release.ts';
import { lapseStopSells } from './commands/stop-sells.ts';
import { beginWaitingBlocks } from './commands/waiting-blocks.ts';
import { horizon } from './model.ts';

/** Bookings released in one transaction: short locks, and the nights of one sweep fit into one statement. */
const BATCH = 50;

type Tenant = { tenantId: TenantId };

/** Gives back the rooms of holds that nobody paid for in time, and of no-shows whose hour has come (R10, R17). */
export const releaseExpiredHolds = defineJob({
  name: 'inventory.release-expired-holds',
  scope: 'system',
  queue: 'critical',
  input: z.strictObject({}),
  transaction: 'none',
  async run(ctx) {
    const due = await ctx.transaction(({ tx }) =>
      rows<Tenant>(tx, sql`select t as "tenantId" from inventory.tenants_with_due_holds(${ctx.now}) t`),
    );
    let released = 0;
    await inTurn(ctx, due, async ({ tenantId }) => {
      for (let batch = BATCH; batch === BATCH && !ctx.job.signal.aborted; ) {
        batch = await ctx.transaction(tx => releaseExpired({ ...tx, now: ctx.now }, { most: BATCH }), {
          tenantId,
        });
        released += batch;
      }
    });
    return { released };
  },
});

/** Counts the nights that came within the horizon, and ends stop-sells that are over. */
export const tidyNights = defineJob({
  name: 'inventory.tidy-nights',
  scope: 'system',
  queue: 'bulk',
  input: z.strictObject({}),
  transaction: 'none',
  async run(ctx) {
    const { today, until } = horizon(ctx.now);
    const tenants = await ctx.transaction(({ tx }) =>
      rows<Tenant>(tx, sql`select t as "tenantId" from inventory.tenants_to_tidy(${today}, ${until}) t`),
    );
    await inTurn(ctx, tenants, async ({ tenantId }) => {
      await ctx.transaction(tx => extendNights({ ...tx, now: ctx.now }), { tenantId });
      await ctx.transaction(tx => lapseStopSells({ ...tx, now: ctx.now }), { tenantId });
    });
  },
});

/** Tries again what waits for its room: a repair, or a portal's guest. */
export const beginBlocks = defineJob({
  name: 'inventory.begin-blocks',
  scope: 'system',
  queue: 'default',
  input: z.strictObject({}),
  transaction: 'none',
  async run(ctx) {
    const tenants = await ctx.transaction(({ tx }) =>
      rows<Tenant>(tx, sql`select t as "tenantId" from inventory.tenants_with_waiting_blocks() t`),
    );
    let begun = 0;
    await inTurn(ctx, tenants, async ({ tenantId }) => {
      begun += await ctx.transaction(tx => beginWaitingBlocks({ ...tx, now: ctx.now }), { tenantId });
    });
    return { begun };
  },
});

/** What comes round by itself, besides feeds. Nights are a daily task that is cheap enough to be hourly. */
export const schedules = [
  every('5s', releaseExpiredHolds),
  every('7 * * * *', tidyNights),
  every('1m', beginBlocks),
];
