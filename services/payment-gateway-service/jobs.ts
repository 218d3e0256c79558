import { sql } from '@ghasi/db/drizzle';
import { rows } from '@ghasi/db/sql';
import { idFromUuid, PLATFORM_TENANT_ID, type TenantId } from '@ghasi/domain-primitives/ids';
import {
  defineJob,
  every,
  type JobDefinition,
  type LooseJobCtx,
  type Schedule,
} from '@ghasi/jobs/define-job';
import { enqueue } from '@ghasi/jobs/enqueue';
import { z } from 'zod';
import { checkPaymentNow, checkRefundNow, hasRefundFailed } from './commands/check.ts';
import type { Payments } from './payments.ts';
import { checkPayment, checkRefund } from './tasks.ts';

/** Most payments and refunds that one round looks at; the next round is 10 s later. */
const ROUND = 200;

type Due = { tenantId: TenantId; kind: 'payment' | 'refund'; id: string };

/** The tasks, bound to the providers they call. */
export function paymentJobs(payments: Payments): JobDefinition[] {
  const bound = [
    {
      ...checkPayment,
      work: {
        transaction: 'none',
        run: (ctx: LooseJobCtx, { paymentId }: z.output<typeof checkPayment.input>) =>
          checkPaymentNow({ transaction: work => ctx.transaction(work), now: ctx.now }, payments, {
            paymentId,
          }),
      },
    },
    {
      ...checkRefund,
      work: {
        transaction: 'none',
        async run(ctx: LooseJobCtx, { refundId }: z.output<typeof checkRefund.input>) {
          const transaction = <R>(work: Parameters<typeof ctx.transaction<R>>[0]) => ctx.transaction(work);
          const checked = await checkRefundNow({ transaction, now: ctx.now }, payments, { refundId });
          const failed = await ctx.transaction(inner => hasRefundFailed(inner, refundId));
          // OBS-28: any of them calls finance.
          if (checked === 'settled' && failed)
            ctx.db.metrics?.inc('melmastoon_refund_failures_total', { service: ctx.db.service });
          return checked;
        },
      },
    },
  ];
  return bound as unknown as JobDefinition[];
}

/**
 * Looks for what is due and was not asked about: a worker died, a provider was silent, a guest went away. Rows carry
 * the time, so nothing depends on a job that somebody remembered to enqueue.
 */
export const sweepChecks = defineJob({
  name: 'payment_gateway.sweep-checks',
  queue: 'scheduled',
  scope: 'system',
  input: z.strictObject({}),
  transaction: 'none',
  async run(ctx) {
    const due = await ctx.transaction(
      ({ tx }) =>
        rows<Due>(
          tx,
          sql`select tenant_id as "tenantId", kind, id
              from payment_gateway.due_checks(${ctx.now}, ${ROUND})`,
        ),
      { tenantId: PLATFORM_TENANT_ID },
    );
    for (const { tenantId, kind, id } of due) {
      await ctx.transaction(
        async inner => {
          if (kind === 'payment') {
            const paymentId = idFromUuid('pay', id);
            await enqueue(inner, checkPayment, { paymentId }, { key: paymentId });
          } else {
            const refundId = idFromUuid('rfd', id);
            await enqueue(inner, checkRefund, { refundId }, { key: refundId });
          }
        },
        { tenantId },
      );
    }
    return { due: due.length };
  },
});

/** What comes round by itself. */
export const paymentSchedules: readonly Schedule[] = [every('10s', sweepChecks)];
