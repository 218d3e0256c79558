import { accepted } from '@ghasi/db/accepted';
import { rows } from '@ghasi/db/sql';
import { type Ctx, systemTransaction } from '@ghasi/db/tenant-transaction';
import { parseTenantId, type TenantId } from '@ghasi/domain-primitives/ids';
import { defineJob, every, type LooseJobCtx, type Schedule } from '@ghasi/jobs/define-job';
import { sql } from 'drizzle-orm';
import { z } from 'zod';
import { findOpenSaga } from './queries.ts';
import { endOverdueHold } from './sagas/booking.ts';
import { endOverdueCheckIn } from './sagas/check-in.ts';
import { endOverdueCheckOut } from './sagas/check-out.ts';
import { endOverdueDateChange } from './sagas/date-change.ts';

const MOST = 200;

/** SAGA-08: ends sagas whose time is over, each in a transaction of its tenant. Safe to run any number of times. */
export const sweepDeadlines = defineJob({
  name: 'reservation.sweep-deadlines',
  queue: 'critical',
  scope: 'system',
  transaction: 'none',
  input: z.strictObject({}),
  run: endDueSagas,
});

type Sweeper = Pick<LooseJobCtx, 'db' | 'now' | 'actor'> & {
  transaction(work: (ctx: Ctx) => Promise<unknown>, options: { tenantId: TenantId }): Promise<unknown>;
};

/** Ends what is overdue at this moment. */
export async function endDueSagas(ctx: Sweeper): Promise<void> {
  for (const { tenantId, sagaId } of await dueSagas(ctx)) {
    await ctx.transaction(
      async inTenant => {
        const saga = await findOpenSaga(inTenant, sagaId);
        return accepted(undefined, saga === undefined ? [] : await overdue[saga.kind](inTenant, saga));
      },
      { tenantId },
    );
  }
}

/** What happens when the time of a saga is over. */
const overdue = {
  booking: endOverdueHold,
  check_in: endOverdueCheckIn,
  check_out: endOverdueCheckOut,
  date_change: endOverdueDateChange,
} as const;

async function dueSagas({ db, now, actor }: Pick<Sweeper, 'db' | 'now' | 'actor'>) {
  const found = await systemTransaction(db, { actor }, ({ tx }) =>
    rows<{ tenant_id: string; saga_id: string }>(
      tx,
      sql`select tenant_id, saga_id from reservation.due_sagas(${now}, ${MOST})`,
    ),
  );
  return found.map(row => ({ tenantId: parseTenantId(row.tenant_id), sagaId: row.saga_id }));
}

/** Everything that runs by itself. */
export const schedules: readonly Schedule[] = [every('5s', sweepDeadlines)];
