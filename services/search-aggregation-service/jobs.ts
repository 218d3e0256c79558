import type { Ask } from '@ghasi/backbone/question';
import { sql } from '@ghasi/db/drizzle';
import { rows } from '@ghasi/db/sql';
import { minutes } from '@ghasi/domain-primitives/duration';
import { idFromUuid, parseId, type TenantId } from '@ghasi/domain-primitives/ids';
import { defineJob, every, type LooseJobCtx, type Schedule } from '@ghasi/jobs/define-job';
import { inTurn } from '@ghasi/jobs/in-turn';
import { z } from 'zod';
import { compute } from './commands/compute.ts';
import { enqueueReindex, lookAgain, markStale, type Reindex, reindexInput } from './commands/mark.ts';
import { publishListing } from './commands/publish-listing.ts';
import { type Handler, handlers } from './model.ts';
import {
  begin,
  behindSince,
  complete,
  type Due,
  fail,
  isBehind,
  lockPart,
  mark,
} from './queries/checkpoints.ts';
import { findHouse, findTenant, listHouses } from './queries/heard.ts';

const service = 'search_aggregation';

/** How long a listing may wait before somebody asks whether its job is still there. */
const LOST_AFTER_MS = minutes(1);

/** The jobs of the index (JOB-32). */
export function searchJobs(
  ask: Ask,
  { settleMs }: { settleMs: number },
): { reindex: Reindex; schedules: readonly Schedule[] } {
  const reindex: Reindex = { settleMs, job: reindexJob(ask, () => reindex) };
  return {
    reindex,
    schedules: [
      every('1m', sweepJob(reindex)),
      // Hourly: what nobody tells of, a tenant that sells again, a room out of order. Nightly also prices and new nights.
      every('23 * * * *', fullJob(reindex, 'search.reindex.hourly', ['facts', 'availability'])),
      every('40 20 * * *', fullJob(reindex, 'search.reindex.full', handlers)), // after midnight in Kabul
    ],
  };
}

/** Computes what is behind of one house, each part by itself, and puts it into the index. */
function reindexJob(ask: Ask, self: () => Reindex): Reindex['job'] {
  return defineJob({
    name: 'search.reindex.space',
    service,
    scope: 'tenant',
    input: reindexInput,
    transaction: 'none',
    async run(ctx, { propertyId: text, looks }) {
      const propertyId = parseId('pro', text);
      const { tenantId, now } = ctx;
      const [due, house, tenant] = await ctx.transaction(async own => {
        if (looks > 0) await mark(own, propertyId, ['availability']);
        return [await begin(own, propertyId), await findHouse(own.tx, propertyId), await findTenant(own.tx)];
      });
      const failures: unknown[] = [];
      for (const part of due) {
        try {
          const save = house && (await compute[part.handler]({ ask, tenantId, tenant, house, now }));
          await ctx.transaction(own => savePart(own, propertyId, part, save));
        } catch (error) {
          failures.push(error);
          const reason = error instanceof Error ? error.message : String(error);
          await ctx.transaction(({ tx }) => fail(tx, propertyId, part.handler, reason));
        }
      }
      await publish(ctx, propertyId, { reindex: self(), looks });
      if (failures.length > 0) throw failures[0];
    },
  });
}

type JobCtx = Parameters<Parameters<LooseJobCtx['transaction']>[0]>[0];
type PropertyId = ReturnType<typeof parseId<'pro'>>;

/** PROJ-09, PROJ-10: a result and its watermark are saved together, and never over a newer one. */
async function savePart(
  ctx: JobCtx,
  propertyId: PropertyId,
  due: Due,
  save: ((own: JobCtx) => Promise<void>) | undefined,
): Promise<void> {
  const { superseded, overtaken } = await lockPart(ctx.tx, propertyId, due);
  // Facts that were overtaken are not shown even for a second: a suspension may have come in between.
  if (superseded || (overtaken && due.handler === 'facts')) return;
  await save?.(ctx);
  await complete(ctx, propertyId, due);
}

/** Shows what was computed; looks again when more was heard meanwhile, or when rooms are not counted yet. */
async function publish(
  ctx: LooseJobCtx,
  propertyId: PropertyId,
  { reindex, looks }: { reindex: Reindex; looks: number },
): Promise<void> {
  const { uncounted } = await ctx.transaction(own => publishListing(own, propertyId));
  await ctx.transaction(async own => {
    if (await isBehind(own.tx, propertyId)) await enqueueReindex(own, reindex, propertyId);
    else if (uncounted) await lookAgain(own, reindex, { propertyId, looks: looks + 1 });
  });
}

/** Finds listings whose job was lost, e.g. because it failed too often, and has them computed again. */
function sweepJob(reindex: Reindex) {
  return defineJob({
    name: 'search.sweep',
    service,
    scope: 'system',
    queue: 'bulk',
    input: z.strictObject({}),
    transaction: 'none',
    async run(ctx) {
      const before = new Date(ctx.now.getTime() - LOST_AFTER_MS);
      await forEachTenant(
        ctx,
        sql`select t as "tenantId" from search_aggregation.tenants_behind(${before}) t`,
        async own => {
          for (const id of await behindSince(own.tx, before))
            await enqueueReindex(own, reindex, idFromUuid('pro', id));
        },
      );
    },
  });
}

/** Has parts of every house computed anew. */
function fullJob(reindex: Reindex, name: string, parts: readonly Handler[]) {
  return defineJob({
    name,
    service,
    scope: 'system',
    queue: 'bulk',
    input: z.strictObject({}),
    transaction: 'none',
    run: ctx =>
      forEachTenant(
        ctx,
        sql`select t as "tenantId" from search_aggregation.tenants_with_houses() t`,
        async own => {
          for (const id of await listHouses(own.tx))
            await markStale(own, reindex, { propertyId: idFromUuid('pro', id), parts });
        },
      ),
  });
}

async function forEachTenant(
  ctx: LooseJobCtx,
  tenants: ReturnType<typeof sql>,
  work: (own: JobCtx) => Promise<void>,
): Promise<void> {
  const found = await ctx.transaction(({ tx }) => rows<{ tenantId: TenantId }>(tx, tenants));
  await inTurn(ctx, found, ({ tenantId }) => ctx.transaction(work, { tenantId }));
}
