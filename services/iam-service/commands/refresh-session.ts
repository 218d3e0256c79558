import { accepted } from '@ghasi/db/accepted';
import type { Id } from '@ghasi/domain-primitives/ids';
import { provenDevice } from '../device-proof.ts';
import { sessionIssued, sessionsRevoked } from '../facts.ts';
import { type Bare, type Iam, inTenant } from '../iam.ts';
import { decideRefresh, isLive } from '../model.ts';
import { record } from '../queries/security-log.ts';
import {
  findRefreshToken,
  findSessionToVerify,
  lastUsedSequence,
  lockSession,
  type OpenedSession,
  revokeSessions,
  rotateRefreshToken,
} from '../queries/sessions.ts';
import type { Caller } from './sign-in.ts';

export type RefreshOutcome =
  | { kind: 'session'; opened: OpenedSession }
  | { kind: 'refused' | 'no_device_proof' };

/** Exchanges a refresh token for the next one, or ends the family when a copy shows up (see `decideRefresh`). */
export function refreshSession(
  iam: Iam,
  bare: Bare,
  { refreshToken, caller }: { refreshToken: string; caller: Caller },
): Promise<RefreshOutcome> {
  return inTenant(bare, async ctx => {
    const presented = await findRefreshToken(ctx, refreshToken);
    if (presented === undefined) return { kind: 'refused' };
    const device = await provenDevice(ctx, { ...caller.signed, token: refreshToken });
    const session = await lockSession(ctx, presented.session_id);
    // Read again under the lock: whoever held it before us may have exchanged the token.
    const token = await findRefreshToken(ctx, refreshToken);
    const behind = await findSessionToVerify(ctx, presented.session_id);
    if (session === undefined || token === undefined || behind === undefined) return { kind: 'refused' };
    const live =
      isLive(session, ctx.now) && behind.operatorStatus === 'active' && behind.deviceRevokedAt === null;
    const decision = decideRefresh({
      live,
      bound: session.device_id !== null,
      proof: session.device_id !== null && device?.id === session.device_id,
      token,
      lastUsed: await lastUsedSequence(ctx, session.id),
    });
    const seen = seenOf(session, caller);
    if (decision.kind === 'rotate') {
      if (decision.retry) await record(ctx, { event: 'session.refreshed_again', ...seen });
      const { retry } = decision;
      const opened = await rotateRefreshToken(ctx, session, { retry, idleMs: iam.config.sessionIdleMs });
      return accepted<RefreshOutcome>({ kind: 'session', opened }, [sessionIssued(opened, 'refreshed')]);
    }
    if (decision.kind === 'revoke') {
      const ended = await revokeSessions(ctx, { sessionId: session.id }, 'refresh_reused');
      await record(ctx, { event: 'session.refresh_reused', ...seen, details: { sequence: token.sequence } });
      return accepted<RefreshOutcome>({ kind: 'refused' }, sessionsRevoked(ended, 'refresh_reused'));
    }
    await record(ctx, { event: 'session.refresh_refused', ...seen, details: { reason: decision.reason } });
    return { kind: decision.reason === 'no_device_proof' ? 'no_device_proof' : 'refused' };
  });
}

function seenOf(
  session: { id: Id<'ses'>; operator_id: Id<'usr'>; device_id: Id<'dev'> | null },
  caller: Caller,
) {
  return {
    operatorId: session.operator_id,
    sessionId: session.id,
    deviceId: session.device_id ?? undefined,
    addressHash: caller.addressHash,
  };
}
