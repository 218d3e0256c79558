import { and, desc, eq, lt } from '@ghasi/db/drizzle';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import type { Id } from '@ghasi/domain-primitives/ids';
import { securityLog } from '../tables/accounts.ts';

/** Everything the log can tell. Names are for ever. */
export const securityEvents = [
  'sign_in.accepted',
  'sign_in.refused',
  'sign_in.blocked',
  'sign_in.second_factor_needed',
  'second_factor.refused',
  'session.refreshed_again',
  'session.refresh_refused',
  'session.refresh_reused',
  'session.revoked',
  'session.role_switched',
  'operator.created',
  'operator.link_issued',
  'operator.disabled',
  'operator.enabled',
  'password.changed',
  'password.change_refused',
  'password.set_by_link',
  'device.pairing_started',
  'device.pairing_refused',
  'device.paired',
  'device.revoked',
  'device.proof_refused',
  'factor.added',
  'factor.removed',
  'factor.change_refused',
  'factor.recovery_codes_made',
  'factor.recovery_code_used',
  'factor.all_removed',
  'step_up.accepted',
  'step_up.refused',
  'step_up.consumed',
] as const;
export type SecurityEvent = (typeof securityEvents)[number];

/** One thing that happened. `details` holds words and numbers of ours, never what somebody typed. */
export type LogEntry = {
  event: SecurityEvent;
  operatorId?: Id<'usr'> | undefined;
  sessionId?: Id<'ses'> | undefined;
  deviceId?: Id<'dev'> | undefined;
  addressHash?: string | undefined;
  details?: Record<string, string | number | boolean>;
};

/** Writes down what happened, in the transaction in which it happened. */
export async function record(ctx: Ctx, entry: LogEntry): Promise<void> {
  await ctx.tx.insert(securityLog).values({
    tenant_id: ctx.tenantId,
    id: ctx.newId('slg', ctx.now.getTime()),
    at: ctx.now,
    event: entry.event,
    operator_id: entry.operatorId ?? null,
    actor: `${ctx.actor.type}:${ctx.actor.id}`,
    session_id: entry.sessionId ?? null,
    device_id: entry.deviceId ?? null,
    address_hash: entry.addressHash ?? null,
    details: entry.details ?? {},
  });
}

/** The log from newest to oldest, after `before`. */
export async function readSecurityLog(
  ctx: Ctx,
  {
    before,
    operatorId,
    limit,
  }: { before?: Id<'slg'> | undefined; operatorId?: Id<'usr'> | undefined; limit: number },
) {
  return ctx.tx
    .select()
    .from(securityLog)
    .where(
      and(
        eq(securityLog.tenant_id, ctx.tenantId),
        operatorId === undefined ? undefined : eq(securityLog.operator_id, operatorId),
        before === undefined ? undefined : lt(securityLog.id, before),
      ),
    )
    .orderBy(desc(securityLog.id))
    .limit(limit);
}
