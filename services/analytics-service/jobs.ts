import { sql } from '@ghasi/db/drizzle';
import { execute, rows } from '@ghasi/db/sql';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { idFromUuid, idToUuid, type TenantId } from '@ghasi/domain-primitives/ids';
import { addDays } from '@ghasi/domain-primitives/local-date';
import { defineJob, every, type LooseJobCtx } from '@ghasi/jobs/define-job';
import { enqueueMany } from '@ghasi/jobs/enqueue';
import { inTurn } from '@ghasi/jobs/in-turn';
import { idText } from '@melmastoon/catalog/parts';
import { z } from 'zod';
import { projection } from './handlers/handlers.ts';
import { noteChanges } from './projection/note-changes.ts';
import { type InTransaction, runHandlers } from './projection/run-handlers.ts';
import { readHouse } from './queries/business-dates.ts';

/**
 * Brings the numbers of a house up to date. Enqueued with whatever changed them; one waits per house, however much comes in.
 * Fails when a handler did, so that it runs again: those that are done have nothing to do then (PROJ-08, X-042).
 */
export const projectHouse = defineJob({
  name: 'analytics.project-house',
  scope: 'tenant',
  queue: 'critical',
  input: z.strictObject({ propertyId: idText('pro') }),
  transaction: 'none',
  async run(ctx, { propertyId }) {
    const inTransaction: InTransaction = work => ctx.transaction(tx => work({ ...tx, now: ctx.now }));
    // Waits for transactions that counted on this run; whatever comes after them asks for the next one.
    await inTransaction(async ({ tx, tenantId, write }) =>
      write(
        execute(
          tx,
          sql`update analytics.watermarks set due_at = '-infinity'
              where tenant_id = ${tenantId} and scope_id = ${idToUuid(propertyId)}`,
        ),
      ),
    );
    const { outcomes, error } = await runHandlers(inTransaction, projection, idToUuid(propertyId));
    if (error !== undefined) throw error;
    return Object.fromEntries(outcomes);
  },
});

/** Finds houses whose numbers are behind: a run that died for good, a handler that failed or was changed. */
export const catchUp = defineJob({
  name: 'analytics.catch-up',
  scope: 'system',
  queue: 'bulk',
  input: z.strictObject({}),
  transaction: 'none',
  async run(ctx) {
    const names = projection.handlers.map(({ name }) => name);
    const versions = projection.handlers.map(({ version }) => version);
    const behind = await tenantsOf(
      ctx,
      sql`analytics.tenants_behind(${sql.param(names)}::text[], ${sql.param(versions)}::int[], ${ctx.now})`,
    );
    await inTurn(ctx, behind, one =>
      ctx.transaction(async tx => void (await enqueueAll(tx, await housesOf(tx))), one),
    );
    return { tenants: behind.length };
  },
});

/** Days back that the daily round looks at again. */
const ROUND_DAYS = 7;

/** Once a day computes the last week of every house again and tells what is new of it (JOB-34). */
export const aggregateDaily = defineJob({
  name: 'analytics.aggregate_daily',
  scope: 'system',
  queue: 'bulk',
  input: z.strictObject({}),
  transaction: 'none',
  async run(ctx) {
    const tenants = await tenantsOf(ctx, sql`analytics.tenants_with_numbers()`);
    await inTurn(ctx, tenants, one =>
      ctx.transaction(async tx => void (await lookAgain({ ...tx, now: ctx.now })), one),
    );
    return { tenants: tenants.length };
  },
});

async function lookAgain(ctx: Ctx): Promise<void> {
  const houses = await housesOf(ctx);
  for (const scopeId of houses) {
    const { businessDate } = await readHouse(ctx, scopeId);
    const days = [{ from: addDays(businessDate, -ROUND_DAYS), until: addDays(businessDate, 1) }];
    noteChanges(ctx, projection, { scopeId, topic: 'day', days });
  }
  await enqueueAll(ctx, houses);
}

async function housesOf(ctx: Ctx): Promise<string[]> {
  const found = await rows<{ id: string }>(
    ctx.tx,
    sql`select scope_id as id from analytics.watermarks where tenant_id = ${ctx.tenantId} order by scope_id`,
  );
  return found.map(({ id }) => id);
}

function enqueueAll(ctx: Ctx, houses: readonly string[]): Promise<unknown> {
  return enqueueMany(
    ctx,
    projectHouse,
    houses.map(house => ({ input: { propertyId: idFromUuid('pro', house) }, key: house })),
  );
}

function tenantsOf(ctx: LooseJobCtx, from: ReturnType<typeof sql>): Promise<{ tenantId: TenantId }[]> {
  return ctx.transaction(({ tx }) =>
    rows<{ tenantId: TenantId }>(tx, sql`select t as "tenantId" from ${from} t`),
  );
}

/** What comes round by itself. */
export const schedules = [every('30s', catchUp), every('20 1 * * *', aggregateDaily)];
