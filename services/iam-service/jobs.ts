import { sql } from '@ghasi/db/drizzle';
import { execute } from '@ghasi/db/sql';
import { hours } from '@ghasi/domain-primitives/duration';
import { PLATFORM_TENANT_ID } from '@ghasi/domain-primitives/ids';
import { defineJob, every } from '@ghasi/jobs/define-job';
import { z } from 'zod';
import type { Iam } from './iam.ts';
import { rotateKeys } from './signing-keys.ts';

/** How long things stay after their end, so that a reused token or a late question still finds the row it is about. */
const KEPT_MS = hours(24);

/** Rows removed in one statement: short locks, and a run that never meets the role's time limit. */
const BATCH = 5_000;

/** Tables whose rows end by themselves, and the column that says when. */
const expiring = [
  ['iam.sessions', 'expires_at'], // refresh tokens go with their session
  ['iam.challenges', 'expires_at'],
  ['iam.attestations', 'expires_at'],
  ['iam.password_links', 'expires_at'],
  ['iam.device_pairings', 'expires_at'],
  ['iam.device_nonces', 'expires_at'],
  ['iam.attempts', 'last_at'],
] as const;

/** Removes what expired a day ago (ledger JOB-35). Runs across tenants, hence as maintenance. */
export const purgeSessions = defineJob({
  name: 'cleanup.purge_sessions',
  service: 'iam',
  scope: 'system',
  runAs: 'maintenance',
  queue: 'low',
  input: z.strictObject({}),
  transaction: 'none',
  async run(ctx) {
    const before = new Date(ctx.now.getTime() - KEPT_MS);
    const removed: Record<string, number> = {};
    for (const [table, column] of expiring) {
      for (let batch = BATCH; batch === BATCH && !ctx.job.signal.aborted; ) {
        batch = await ctx.transaction(({ tx }) =>
          execute(
            tx,
            sql`delete from ${sql.raw(table)}
                where ctid = any (array(
                  select ctid
                  from ${sql.raw(table)}
                  where ${sql.raw(column)} < ${before}
                  limit ${BATCH}))`,
          ),
        );
        removed[table] = (removed[table] ?? 0) + batch;
      }
    }
    ctx.log.info({ removed }, 'expired sessions and challenges were removed');
  },
});

/** Lets the next signing key take over when the current one is old; `distrust` removes a leaked one at once. */
export function rotateKeysJob(iam: Iam) {
  return defineJob({
    name: 'iam.rotate_keys',
    scope: 'system',
    input: z.strictObject({ distrust: z.boolean().default(false) }),
    transaction: 'none',
    async run(ctx, { distrust }) {
      const { config, keys } = iam;
      const rotation = await ctx.transaction(tx => rotateKeys(tx, { config, keys, distrust }), {
        tenantId: PLATFORM_TENANT_ID,
      });
      if (rotation !== 'not-due') ctx.log.info({ rotation }, 'signing keys were rotated');
    },
  });
}

/** What comes round by itself. */
export function iamSchedules(iam: Iam) {
  return [every('17 * * * *', purgeSessions), every('23 2 * * *', rotateKeysJob(iam))];
}
