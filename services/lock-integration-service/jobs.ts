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
  const bound = [
    {
      ...workKey,
      work: {
        transaction: 'none',
        run: (ctx: LooseJobCtx, { credentialId }: z.output<typeof workKey.input>) =>
          workKeyNow(inside(ctx), locks, credentialId),
      },
    },
    {
      ...lookAfterBooking,
      work: {
        transaction: 'none',
        run: (ctx: LooseJobCtx, of: z.output<typeof lookAfterBooking.input>) =>
          ctx.transaction(inner => lookAfter(inner, locks, of)),
      },
    },
    {
      ...inspectLock,
      work: {
        transaction: 'none',
        run: (ctx: LooseJobCtx, { lockId }: z.output<typeof inspectLock.input>) =>
          inspectLockNow(inside(ctx), locks, lockId),
      },
    },
  ];
  return bound as unknown as JobDefinition[];
}

/** Finds keys whose time has come and whose job nobody ran: rows carry the time, so no dead worker loses one. */
export const sweepKeys = defineJob({
  name: 'lock_integration.sweep-keys',
  queue: 'scheduled',
  scope: 'system',
  input: z.strictObject({}),
  transaction: 'none',
  async run(ctx) {
    const due = await ctx.transaction(
      ({ tx }) =>
        rows<{ tenantId: TenantId; id: string }>(
          tx,
          sql`select tenant_id as "tenantId", id
              from lock_integration.due_keys(${ctx.now}, ${ROUND})`,
        ),
      { tenantId: PLATFORM_TENANT_ID },
    );
    for (const { tenantId, id } of due) {
      const credentialId = idFromUuid('key', id);
      await ctx.transaction(inner => enqueue(inner, workKey, { credentialId }, { key: credentialId }), {
        tenantId,
      });
    }
    return { due: due.length };
  },
});

/** Goes round: codes for the arrivals of the next day and a half are fetched while the net is there, and sealed. */
export const lookAhead = defineJob({
  name: 'lock_integration.look-ahead',
  queue: 'scheduled',
  scope: 'system',
  input: z.strictObject({}),
  transaction: 'none',
  async run(ctx) {
    const due = await ctx.transaction(
      ({ tx }) =>
        rows<{ tenantId: TenantId; kind: 'booking' | 'lock'; id: string }>(
          tx,
          sql`select tenant_id as "tenantId", kind, id
              from lock_integration.due_round(${ctx.now}, ${ROUND})`,
        ),
      { tenantId: PLATFORM_TENANT_ID },
    );
    for (const { tenantId, kind, id } of due) {
      await ctx.transaction(
        async inner => {
          if (kind === 'booking') {
            const reservationId = idFromUuid('rsv', id);
            await enqueue(inner, lookAfterBooking, { reservationId }, { key: reservationId });
          } else {
            const lockId = idFromUuid('lck', id);
            await enqueue(inner, inspectLock, { lockId }, { key: lockId });
          }
        },
        { tenantId },
      );
    }
    return { due: due.length };
  },
});

/** What comes round by itself. */
export const lockSchedules: readonly Schedule[] = [every('10s', sweepKeys), every('5m', lookAhead)];
