import type { Ctx } from '@ghasi/db/tenant-transaction';
import { type Id, isId } from '@ghasi/domain-primitives/ids';
import { type issueReasons, SessionIssued, SessionRevoked, UserCreated } from './events.ts';
import type { RevokedReason } from './model.ts';
import type { OpenedSession, Session } from './queries/sessions.ts';

// What use cases have just written, as the events that tell of it. Versions come from rows this transaction holds.

/** The version of a row in the transaction that made it. */
export const FIRST_VERSION = 1;

/** An account that was just added. `createdBy` is null for the platform and for seeds. */
export function userCreated(operator: {
  operatorId: Id<'usr'>;
  status: 'invited' | 'active';
  createdBy: Id<'usr'> | null;
}) {
  return UserCreated.from(operator, { aggregateVersion: FIRST_VERSION });
}

/** Who acts, if it is a person and not the platform or a seed. */
export function personOf({ actor }: Pick<Ctx, 'actor'>): Id<'usr'> | null {
  return actor.type === 'user' && isId('usr', actor.id) ? actor.id : null;
}

/** A session that just got tokens. */
export function sessionIssued(
  { session, sequence }: Omit<OpenedSession, 'refresh'>,
  reason: (typeof issueReasons)[number],
) {
  const payload = {
    sessionId: session.id,
    operatorId: session.operator_id,
    deviceId: session.device_id,
    reason,
    sequence,
    amr: session.amr,
    actingRole: session.acting_role,
    idleExpiresAt: session.idle_expires_at.toISOString(),
    expiresAt: session.expires_at.toISOString(),
  };
  return SessionIssued.from(payload, { aggregateVersion: session.version });
}

/** Sessions that just ended. */
export function sessionsRevoked(ended: readonly Session[], reason: RevokedReason) {
  return ended.map(({ id, operator_id, device_id, version }) => {
    const payload = { sessionId: id, operatorId: operator_id, deviceId: device_id, reason };
    return SessionRevoked.from(payload, { aggregateVersion: version });
  });
}
