import { sql } from '@ghasi/db/drizzle';
import { idFromUuid, type TenantId } from '@ghasi/domain-primitives/ids';
import { every, type JobDefinition, type Schedule } from '@ghasi/jobs/define-job';
import { defineSweep } from '@ghasi/jobs/define-sweep';
import { bindTask } from '@ghasi/jobs/define-task';
import { enqueue } from '@ghasi/jobs/enqueue';
import { checkPaymentNow, checkRefundNow, hasRefundFailed } from './commands/check.ts';
import type { Payments } from './payments.ts';
import { checkPayment, checkRefund } from './tasks.ts';

/** Most payments and refunds that one round looks at; the next round is 10 s later. */
const ROUND = 200;

/** The tasks, bound to the providers they call. */
export function paymentJobs(payments: Payments): JobDefinition[] {
  return [
    bindTask(checkPayment, (ctx, { paymentId }) =>
      checkPaymentNow({ transaction: work => ctx.transaction(work), now: ctx.now }, payments, { paymentId }),
    ),
    bindTask(checkRefund, async (ctx, { refundId }) => {
      const transaction = <R>(work: Parameters<typeof ctx.transaction<R>>[0]) => ctx.transaction(work);
      const checked = await checkRefundNow({ transaction, now: ctx.now }, payments, { refundId });
      const failed = await ctx.transaction(inner => hasRefundFailed(inner, refundId));
      // OBS-28: any of them calls finance.
      if (checked === 'settled' && failed)
        ctx.db.metrics?.inc('melmastoon_refund_failures_total', { service: ctx.db.service });
      return checked;
    }),
  ];
}

/** Looks for what is due and was not asked about. */
export const sweepChecks = defineSweep<{ tenantId: TenantId; kind: 'payment' | 'refund'; id: string }>({
  name: 'payment_gateway.sweep-checks',
  most: ROUND,
  due: (now, most) => sql`select tenant_id as "tenantId", kind, id
                          from payment_gateway.due_checks(${now}, ${most}) with ordinality
                          order by row_number() over (partition by kind order by ordinality)`, // one of each kind in turn
  each(ctx, { kind, id }) {
    if (kind === 'payment') {
      const paymentId = idFromUuid('pay', id);
      return enqueue(ctx, checkPayment, { paymentId }, { key: paymentId });
    }
    const refundId = idFromUuid('rfd', id);
    return enqueue(ctx, checkRefund, { refundId }, { key: refundId });
  },
});

/** What comes round by itself. */
export const paymentSchedules: readonly Schedule[] = [every('10s', sweepChecks)];
