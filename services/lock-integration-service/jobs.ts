import { sql } from '@ghasi/db/drizzle';
import { idFromUuid, type TenantId } from '@ghasi/domain-primitives/ids';
import { every, type JobDefinition, type LooseJobCtx, type Schedule } from '@ghasi/jobs/define-job';
import { defineSweep } from '@ghasi/jobs/define-sweep';
import { bindTask } from '@ghasi/jobs/define-task';
import { enqueue } from '@ghasi/jobs/enqueue';
import { inspectLockNow } from './commands/inspect-lock.ts';
import { lookAfter } from './commands/look-after.ts';
import { type InTransaction, workKeyNow } from './commands/work-key.ts';
import type { Locks } from './locks.ts';
import { inspectLock, lookAfterBooking, workKey } from './tasks.ts';

/** So many are looked at in one round; the next round takes the others. */
const ROUND = 500;

const inside =
  (ctx: LooseJobCtx): InTransaction =>
  work =>
    ctx.transaction(work);

/** The tasks, bound to the vendors they call. */
export function lockJobs(locks: Locks): JobDefinition[] {
  return [
    bindTask(workKey, (ctx, { credentialId }) => workKeyNow(inside(ctx), locks, credentialId)),
    bindTask(lookAfterBooking, (ctx, of) => ctx.transaction(inner => lookAfter(inner, locks, of))),
    bindTask(inspectLock, (ctx, { lockId }) => inspectLockNow(inside(ctx), locks, lockId)),
  ];
}

/** Finds keys whose time has come and whose job nobody ran. */
export const sweepKeys = defineSweep<{ tenantId: TenantId; id: string }>({
  name: 'lock_integration.sweep-keys',
  most: ROUND,
  due: (now, most) => sql`select tenant_id as "tenantId", id from lock_integration.due_keys(${now}, ${most})`,
  each(ctx, { id }) {
    const credentialId = idFromUuid('key', id);
    return enqueue(ctx, workKey, { credentialId }, { key: credentialId });
  },
});

/** Goes round: codes for the arrivals of the next day and a half are fetched while the net is there, and sealed. */
export const lookAhead = defineSweep<{ tenantId: TenantId; kind: 'booking' | 'lock'; id: string }>({
  name: 'lock_integration.look-ahead',
  most: ROUND,
  due: (now, most) => sql`select tenant_id as "tenantId", kind, id
                          from lock_integration.due_round(${now}, ${most}) with ordinality
                          order by row_number() over (partition by kind order by ordinality)`, // one of each kind in turn
  each(ctx, { kind, id }) {
    if (kind === 'booking') {
      const reservationId = idFromUuid('rsv', id);
      return enqueue(ctx, lookAfterBooking, { reservationId }, { key: reservationId });
    }
    const lockId = idFromUuid('lck', id);
    return enqueue(ctx, inspectLock, { lockId }, { key: lockId });
  },
});

/** What comes round by itself. */
export const lockSchedules: readonly Schedule[] = [every('10s', sweepKeys), every('5m', lookAhead)];
