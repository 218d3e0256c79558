import type { Id } from '@ghasi/domain-primitives/ids';
import { type Bare, type Iam, inTenant, readTenant } from '../iam.ts';
import { clearAttempts, reserveAttempt } from '../queries/attempts.ts';
import { takeAttestation } from '../queries/challenges.ts';
import { activeFactors, consumeRecoveryCode } from '../queries/factors.ts';
import { record } from '../queries/security-log.ts';
import { factorSubject } from './finish-sign-in.ts';
import { confirmPassword } from './passwords.ts';
import type { Me } from './sessions.ts';

/** The action to confirm before one's own factors change. */
export const FACTORS_ACTION = 'iam.factors.change';

/** How a person shows that it is really him who changes his factors. */
export type ChangeProof =
  | { kind: 'password'; password: string }
  | { kind: 'attestation'; attestationId: Id<'mfa'> }
  | { kind: 'recovery'; code: string };

/**
 * A stolen session must not be able to add a factor of its own. Whoever has no factor shows his password; whoever has
 * one confirms with it, or spends a recovery code when it is lost. The password alone never changes a second factor.
 */
export async function proveChange(
  iam: Iam,
  bare: Bare,
  { me, proof }: { me: Me; proof: ChangeProof },
): Promise<{ kind: 'proven' | 'refused' } | { kind: 'blocked'; until: Date }> {
  const enrolled = (await readTenant(bare, ctx => activeFactors(ctx, me.operatorId))).length > 0;
  const outcome = await judge(iam, bare, { me, proof, enrolled });
  if (outcome.kind === 'refused') {
    await inTenant(bare, ctx =>
      record(ctx, {
        event: 'factor.change_refused',
        operatorId: me.operatorId,
        sessionId: me.sessionId,
        details: { proof: proof.kind },
      }),
    );
  }
  return outcome;
}

async function judge(
  iam: Iam,
  bare: Bare,
  { me, proof, enrolled }: { me: Me; proof: ChangeProof; enrolled: boolean },
): Promise<{ kind: 'proven' | 'refused' } | { kind: 'blocked'; until: Date }> {
  if (enrolled === (proof.kind === 'password')) return { kind: 'refused' };
  if (proof.kind === 'password') {
    const outcome = await confirmPassword(iam, bare, { me, password: proof.password });
    return outcome.kind === 'right' ? { kind: 'proven' } : outcome;
  }
  if (proof.kind === 'attestation') {
    const confirmed = { action: FACTORS_ACTION };
    const taken = await inTenant(bare, ctx =>
      takeAttestation(ctx, { id: proof.attestationId, sessionId: me.sessionId, confirmed }),
    );
    return { kind: taken === undefined ? 'refused' : 'proven' };
  }
  return inTenant(bare, async ctx => {
    const until = await reserveAttempt(ctx, factorSubject(me.operatorId));
    if (until !== undefined) return { kind: 'blocked', until };
    if (!(await consumeRecoveryCode(ctx, me.operatorId, proof.code))) return { kind: 'refused' };
    await clearAttempts(ctx, factorSubject(me.operatorId));
    await record(ctx, {
      event: 'factor.recovery_code_used',
      operatorId: me.operatorId,
      sessionId: me.sessionId,
    });
    return { kind: 'proven' };
  });
}
