import { type Accepted, accepted } from '@ghasi/db/accepted';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { coreErrors } from '@ghasi/domain-primitives/errors';
import type { Id } from '@ghasi/domain-primitives/ids';
import type { Role } from '@melmastoon/tenant-service/contract';
import { errors } from '../errors.ts';
import { sessionIssued, sessionsRevoked } from '../facts.ts';
import type { Iam } from '../iam.ts';
import { isLive, type RevokedReason } from '../model.ts';
import { lockOperator } from '../queries/operators.ts';
import { record } from '../queries/security-log.ts';
import {
  findRefreshToken,
  insertSession,
  lockSession,
  type OpenedSession,
  revokeSessions,
  type Session,
  type SessionsOf,
} from '../queries/sessions.ts';

/** The person and session behind a request. `proven`: the bound device signed this very request. */
export type Me = { operatorId: Id<'usr'>; sessionId: Id<'ses'>; roles: readonly string[]; proven: boolean };

/** Ends sessions of one person and writes it down; returns how many were open. */
export async function endSessions(
  ctx: Ctx,
  which: SessionsOf & { operatorId: Id<'usr'> },
  reason: RevokedReason,
): Promise<Accepted<number>> {
  await lockOperator(ctx, which.operatorId);
  const ended = await revokeSessions(ctx, which, reason);
  for (const { id: sessionId } of ended) {
    await record(ctx, {
      event: 'session.revoked',
      operatorId: which.operatorId,
      sessionId,
      details: { reason },
    });
  }
  return accepted(ended.length, sessionsRevoked(ended, reason));
}

/** Ends one session of a person; NOT_FOUND for anybody else's, and for one that ended before. */
export async function endOneSession(ctx: Ctx, me: Me, sessionId: Id<'ses'>): Promise<Accepted<number>> {
  const ended = await endSessions(ctx, { operatorId: me.operatorId, sessionId }, 'revoked');
  if (ended.value === 0) throw coreErrors.NOT_FOUND({ entity: 'Session' });
  return ended;
}

/**
 * The session a request came with, locked and alive, or SESSION_ENDED. Needs the operator's lock. Whoever gets new
 * tokens for it must be more than the finder of an access token: a bound session is proven by its device's key.
 */
export async function lockMySession(ctx: Ctx, me: Me): Promise<Session> {
  const session = await lockSession(ctx, me.sessionId);
  if (session === undefined || !isLive(session, ctx.now)) throw errors.SESSION_ENDED();
  if (session.device_id !== null && !me.proven) throw errors.DEVICE_PROOF_REFUSED();
  return session;
}

/**
 * Puts a session with other rights in the place of the present one, which is dead from then on (safety rule 17). The
 * absolute end stays: changing roles does not make a day longer.
 */
export async function replaceSession(
  iam: Iam,
  ctx: Ctx,
  {
    session,
    ...changes
  }: {
    session: Session;
    amr?: readonly string[];
    actingRole?: Role | null;
    reason: 'role_switched' | 'factor_added';
  },
): Promise<Accepted<OpenedSession>> {
  const { reason } = changes;
  const ended = await revokeSessions(ctx, { sessionId: session.id }, reason);
  const opened = await insertSession(ctx, iam.config, {
    operatorId: session.operator_id,
    deviceId: session.device_id,
    amr: changes.amr ?? session.amr,
    actingRole: changes.actingRole === undefined ? session.acting_role : changes.actingRole,
    expiresAt: session.expires_at,
  });
  return accepted(opened, [...sessionsRevoked(ended, reason), sessionIssued(opened, reason)]);
}

/**
 * Acts in one of the person's roles from now on, or in all of them again (null). `held` are the roles he has;
 * `refreshToken` shows that the session itself asks.
 */
export async function switchRole(
  iam: Iam,
  ctx: Ctx,
  {
    me,
    role,
    held,
    refreshToken,
  }: { me: Me; role: Role | null; held: readonly string[]; refreshToken: string },
): Promise<Accepted<OpenedSession>> {
  if (role !== null && !held.includes(role)) throw errors.ROLE_NOT_HELD({ role });
  await lockOperator(ctx, me.operatorId);
  const session = await lockMySession(ctx, me);
  // Without this a stolen access token, good for minutes, could be turned into a session of hours.
  const token = await findRefreshToken(ctx, refreshToken);
  if (token?.session_id !== session.id || token.state !== 'current') throw errors.SESSION_ENDED();
  const replaced = await replaceSession(iam, ctx, { session, actingRole: role, reason: 'role_switched' });
  await record(ctx, {
    event: 'session.role_switched',
    operatorId: me.operatorId,
    sessionId: replaced.value.session.id,
    details: { role: role ?? 'all', replaced: session.id },
  });
  return replaced;
}
