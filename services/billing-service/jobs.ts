import type { Ask } from '@ghasi/backbone/question';
import type { JobDefinition, LooseJobCtx } from '@ghasi/jobs/define-job';
import { bindTask } from '@ghasi/jobs/define-task';
import { collectNow } from './commands/check-out.ts';
import { postDay } from './commands/day-close.ts';
import { learnTaxesOf } from './learn-taxes.ts';
import { closeDay, collectBalance, learnTaxes } from './tasks.ts';

/** The tasks, bound to whom they ask. All are safe to run any number of times. */
export function billingJobs(ask: Ask): JobDefinition[] {
  return [
    bindTask(collectBalance, (ctx, { folioId }) => collectNow({ ask, ...inTenant(ctx) }, folioId)),
    bindTask(closeDay, postDay),
    bindTask(learnTaxes, (ctx, of) => learnTaxesOf({ ask, ...inTenant(ctx) }, of)),
  ];
}

function inTenant(ctx: LooseJobCtx) {
  const { tenantId } = ctx;
  return {
    tenantId,
    transaction: ctx.transaction as <R>(work: Parameters<typeof ctx.transaction<R>>[0]) => Promise<R>,
  };
}
