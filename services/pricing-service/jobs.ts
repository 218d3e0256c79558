import { sql } from '@ghasi/db/drizzle';
import { execute } from '@ghasi/db/sql';
import { tenantTransaction } from '@ghasi/db/tenant-transaction';
import { days } from '@ghasi/domain-primitives/duration';
import { parseTenantId, type TenantId } from '@ghasi/domain-primitives/ids';
import { defineJob, every } from '@ghasi/jobs/define-job';
import { rounds } from '@ghasi/jobs/rounds';
import { z } from 'zod';
import { expireDueQuotes } from './commands/quotes.ts';
import { tenantsWithLapsedQuotes } from './queries/quotes.ts';

/** Tenants looked after in one run, and quotes in one transaction: short locks, and the next run comes soon. */
const TENANTS = 200;
const BATCH = 200;
const round = rounds<{ tenantId: TenantId }>({ most: TENANTS });

/** How long a quote that nobody used is kept, for questions about prices. */
const KEPT_MS = days(30);

/** Ends the promise of prices whose time is over and says so (EVT-39). */
export const expireQuotes = defineJob({
  name: 'pricing.expire_quotes',
  scope: 'system',
  input: z.strictObject({}),
  transaction: 'none',
  async run(ctx) {
    const due = async (most: number) => {
      const tenants = await ctx.transaction(({ tx }) => tenantsWithLapsedQuotes(tx, ctx.now, most));
      return tenants.map(tenant => ({ tenantId: parseTenantId(tenant) }));
    };
    await round(ctx, due, async ({ tenantId }) => {
      // Not `ctx.transaction`: its fence ends in the platform's tenant, where a tenant's event may not be written. None
      // is needed, since the statement itself lets each quote expire once.
      const who = { tenantId, actor: ctx.actor, log: ctx.log };
      for (let batch = BATCH; batch === BATCH && !ctx.job.signal.aborted; )
        batch = await tenantTransaction(ctx.db, who, inside => expireDueQuotes(inside, BATCH));
    });
  },
});

/** Removes quotes that nobody booked, a month after they lapsed. Runs across tenants, hence as maintenance. */
export const purgeQuotes = defineJob({
  name: 'pricing.purge_quotes',
  scope: 'system',
  runAs: 'maintenance',
  queue: 'low',
  input: z.strictObject({}),
  transaction: 'none',
  async run(ctx) {
    const before = new Date(ctx.now.getTime() - KEPT_MS);
    for (let batch = BATCH; batch === BATCH && !ctx.job.signal.aborted; )
      batch = await ctx.transaction(({ tx }) =>
        execute(
          tx,
          sql`with gone as (
                select tenant_id, id
                from pricing.quotes
                where status = 'expired' and expires_at < ${before}
                limit ${BATCH}
                for update skip locked),
              nights as (
                delete from pricing.quote_nights n
                using gone
                where n.tenant_id = gone.tenant_id and n.quote_id = gone.id),
              rooms as (
                delete from pricing.quote_rooms r
                using gone
                where r.tenant_id = gone.tenant_id and r.quote_id = gone.id)
              delete from pricing.quotes q
              using gone
              where q.tenant_id = gone.tenant_id and q.id = gone.id`,
        ),
      );
  },
});

/** What comes round by itself. */
export const schedules = [every('10s', expireQuotes), every('41 3 * * *', purgeQuotes)];
