import { sql } from '@ghasi/db/drizzle';
import { rows } from '@ghasi/db/sql';
import type { TenantId } from '@ghasi/domain-primitives/ids';
import {
  defineJob,
  every,
  type JobDefinition,
  type LooseJobCtx,
  type Schedule,
} from '@ghasi/jobs/define-job';
import { inTurn } from '@ghasi/jobs/in-turn';
import { z } from 'zod';
import { type AnchorMedium, RootTaken } from './anchor.ts';
import { chainArrivals } from './commands/chain-arrivals.ts';
import { noteAnchor, sealDay } from './commands/seal-day.ts';
import { dayOf } from './model.ts';
import { readHead } from './queries/chain.ts';
import { unanchored } from './queries/roots.ts';
import { saveProgress } from './queries/verifications.ts';
import { verifyStored } from './verify-stored.ts';

/** Entries linked in one transaction. Each is an event too, so a batch is about 500 rows in the outbox. */
const BATCH = 500;
/** Roots anchored before the next look: an installation that was off for a month catches up in turns. */
const ROOTS = 50;

type Tenant = { tenantId: TenantId };

/** Gives what arrived its place in the chains: a batch for each tenant in turn, so that a flood holds up nobody. */
export const chainAllArrivals = defineJob({
  name: 'audit.chain-arrivals',
  scope: 'system',
  input: z.strictObject({}),
  transaction: 'none',
  async run(ctx) {
    let waiting = await ctx.transaction(({ tx }) =>
      rows<Tenant>(tx, sql`select t as "tenantId" from audit.tenants_with_arrivals() t`),
    );
    let chained = 0;
    while (waiting.length > 0 && !ctx.job.signal.aborted) {
      const more: Tenant[] = [];
      await inTurn(ctx, waiting, async one => {
        const taken = await ctx.transaction(own => chainArrivals(own, { most: BATCH }), one);
        chained += taken;
        if (taken === BATCH) more.push(one);
      });
      waiting = more;
    }
    return { chained };
  },
});

/** The jobs of an installation with these media. */
export function auditJobs(media: readonly AnchorMedium[]): {
  jobs: readonly JobDefinition[];
  schedules: readonly Schedule[];
  verify: ReturnType<typeof verifyJob>;
} {
  const verify = verifyJob(media);
  return {
    verify,
    jobs: [verify as unknown as JobDefinition],
    // JOB-39: after midnight in UTC, and some minutes for clocks that differ.
    schedules: [every('2s', chainAllArrivals), every('10 0 * * *', anchorJob(media))],
  };
}

/** Puts the days that are over under roots, and the roots into the media. Vendors are called outside any transaction. */
function anchorJob(media: readonly AnchorMedium[]) {
  return defineJob({
    name: 'audit.anchor-days',
    scope: 'system',
    queue: 'bulk',
    maxRetries: 20, // a medium may be away for hours; the day stays unanchored until it is back
    timeoutSeconds: 3_600,
    input: z.strictObject({}),
    transaction: 'none',
    async run(ctx) {
      const kinds = media.map(({ medium }) => medium);
      const tenants = await ctx.transaction(({ tx }) =>
        rows<Tenant>(
          tx,
          sql`select t as "tenantId" from audit.tenants_to_anchor(${dayOf(ctx.now)}, ${sql.param(kinds)}::text[]) t`,
        ),
      );
      let failure: unknown;
      for (const { tenantId } of tenants) {
        if (ctx.job.signal.aborted) break;
        const seal = () => ctx.transaction(own => sealDay({ ...own, now: ctx.now }), { tenantId });
        const steps = [
          async () => {
            while ((await seal()) !== undefined);
          },
          ...media.map(medium => () => anchorAt(ctx, tenantId, medium)),
        ];
        for (const step of steps) await step().catch(error => (failure ??= error)); // one that fails keeps no other from being anchored
      }
      if (failure !== undefined) throw failure;
    },
  });
}

async function anchorAt(ctx: LooseJobCtx, tenantId: TenantId, where: AnchorMedium): Promise<void> {
  const { medium } = where;
  const open = await ctx.transaction(({ tx }) => unanchored(tx, medium, ROOTS), { tenantId });
  for (const root of open) {
    try {
      const reference = await where.put(ctx, tenantId, root);
      await ctx.transaction(own => noteAnchor({ ...own, now: ctx.now }, { root, medium, reference }), {
        tenantId,
      });
    } catch (error) {
      if (!(error instanceof RootTaken)) throw error;
      // Not tried again: this does not mend itself, and a verification names it for ever.
      ctx.log.error(
        { err: error, tenantId, day: root.day, medium },
        'a medium keeps another root of this day',
      );
    }
  }
}

/** Looks through a tenant's chain and writes down what it finds; starts from the beginning when it is interrupted. */
function verifyJob(media: readonly AnchorMedium[]) {
  return defineJob({
    name: 'audit.verify',
    scope: 'tenant',
    queue: 'bulk',
    timeoutSeconds: 3_600,
    input: z.strictObject({ verificationId: z.uuid() }),
    transaction: 'none',
    async run(ctx, { verificationId }) {
      const save = (progress: Parameters<typeof saveProgress>[2]) =>
        ctx.transaction(({ tx }) => saveProgress(tx, verificationId, progress));
      // The chain as it ends now: what was cut off its end shows.
      const head = await ctx.transaction(({ tx }) => readHead({ tx }));
      const wanted = { lastPosition: head.position, lastHash: head.hash };
      const { lastPosition } = wanted;
      await save({ status: 'running', lastPosition, checkedTo: 0, rootsChecked: 0, findings: [] });
      const findings = await verifyStored(ctx, media, wanted, ({ findings: so, ...far }) =>
        save({ ...far, findings: [...so] }),
      );
      await save({ status: findings.length === 0 ? 'intact' : 'broken', endedAt: new Date() });
    },
  });
}
