import type { Ask } from '@ghasi/backbone/question';
import type { JobDefinition, LooseJobCtx } from '@ghasi/jobs/define-job';
import type { z } from 'zod';
import { collectNow } from './commands/check-out.ts';
import { postDay } from './commands/day-close.ts';
import { learnTaxesOf } from './learn-taxes.ts';
import { closeDay, collectBalance, learnTaxes } from './tasks.ts';

/** The tasks, bound to whom they ask. All are safe to run any number of times. */
export function billingJobs(ask: Ask): JobDefinition[] {
  const bound = [
    {
      ...collectBalance,
      work: {
        transaction: 'none',
        run: (ctx: LooseJobCtx, { folioId }: z.output<typeof collectBalance.input>) =>
          collectNow({ ask, ...inTenant(ctx) }, folioId),
      },
    },
    {
      ...closeDay,
      work: {
        transaction: 'none',
        run: (ctx: LooseJobCtx, day: z.output<typeof closeDay.input>) => postDay(ctx, day),
      },
    },
    {
      ...learnTaxes,
      work: {
        transaction: 'none',
        run: (ctx: LooseJobCtx, of: z.output<typeof learnTaxes.input>) =>
          learnTaxesOf({ ask, ...inTenant(ctx) }, of),
      },
    },
  ];
  return bound as unknown as JobDefinition[];
}

function inTenant(ctx: LooseJobCtx) {
  const { tenantId } = ctx;
  return {
    tenantId,
    transaction: ctx.transaction as <R>(work: Parameters<typeof ctx.transaction<R>>[0]) => Promise<R>,
  };
}
