import type { TenantId } from '@ghasi/domain-primitives/ids';
import type { Principal } from '@ghasi/http/principal';
import { operator } from '@ghasi/http/route';
import { consumeAttestation } from '@melmastoon/iam-service/contract';
import { errors } from '../errors.ts';
import type { Locks } from '../locks.ts';
import type { Proof } from '../queries/actions.ts';

/** What a second factor is shown for. */
export const RELEASE_ACTION = 'lock_integration.release-key';
export const REPLACE_ACTION = 'lock_integration.replace-key';

/** Staff who prove once more who they are, where the installation asks for it (BO-73). */
export function confirmedBy(locks: Locks, roles: readonly string[], action: string) {
  return operator(roles, locks.ask === undefined ? {} : { stepUp: action });
}

/** Who somebody is, as far as his request shows. */
export function proofOf({ deviceId, sessionId, attestation }: Principal): Proof {
  return { deviceId, sessionId, attestationId: attestation?.id };
}

/** Uses the confirmation up, before anything is shown or done; it is good for one thing, once. */
export async function useUp(
  locks: Locks,
  { tenantId, principal }: { tenantId: TenantId; principal: Principal },
  confirmed: { action: string; resource: string },
): Promise<Proof> {
  const { ask } = locks;
  const { sessionId, attestation } = principal;
  if (ask === undefined) return proofOf(principal);
  if (sessionId === undefined || attestation === undefined) throw errors.ATTESTATION_REFUSED();
  const { consumed } = await ask(consumeAttestation, {
    tenantId,
    sessionId,
    attestationId: attestation.id,
    ...confirmed,
  });
  if (!consumed) throw errors.ATTESTATION_REFUSED();
  return proofOf(principal);
}
