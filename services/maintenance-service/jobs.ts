import { sql } from '@ghasi/db/drizzle';
import { rows } from '@ghasi/db/sql';
import type { TenantId } from '@ghasi/domain-primitives/ids';
import { defineJob, every } from '@ghasi/jobs/define-job';
import { inTurn } from '@ghasi/jobs/in-turn';
import { z } from 'zod';
import { openDueOrders } from './commands/plans.ts';

/** Opens the work orders of plans that are due by the hotel day of their house. */
export const openDue = defineJob({
  name: 'maintenance.open-due-orders',
  scope: 'system',
  queue: 'bulk',
  input: z.strictObject({}),
  transaction: 'none',
  async run(ctx) {
    const due = await ctx.transaction(({ tx }) =>
      rows<{ tenantId: TenantId }>(
        tx,
        sql`select t as "tenantId" from maintenance.tenants_with_due_plans() t`,
      ),
    );
    let opened = 0;
    await inTurn(ctx, due, async ({ tenantId }) => {
      for (let batch = 1; batch > 0 && !ctx.job.signal.aborted; opened += batch)
        batch = await ctx.transaction(tx => openDueOrders({ ...tx, now: ctx.now }), { tenantId });
    });
    return { opened };
  },
});

/** What comes round by itself. Cheap when nothing is due, so hourly: hotel days end at any hour of the platform's clock. */
export const schedules = [every('23 * * * *', openDue)];
