import type { Ctx } from '@ghasi/db/tenant-transaction';
import type { Id } from '@ghasi/domain-primitives/ids';
import type { AuthenticationResponseJSON } from '@simplewebauthn/server';
import { errors } from '../errors.ts';
import { type Bare, type Iam, inTenant } from '../iam.ts';
import { type Confirmed, type Factor, isLive } from '../model.ts';
import { clearAttempts, reserveAttempt } from '../queries/attempts.ts';
import {
  type Challenge,
  confirmedColumns,
  insertAttestation,
  insertChallenge,
  takeAttestation,
  takeChallenge,
} from '../queries/challenges.ts';
import { activeFactors } from '../queries/factors.ts';
import { record } from '../queries/security-log.ts';
import { findSessionToVerify } from '../queries/sessions.ts';
import { acceptTotpOf } from '../totp.ts';
import { acceptPasskey, authenticationOptions } from '../webauthn.ts';
import { factorSubject } from './finish-sign-in.ts';
import type { Me } from './sessions.ts';

/** What a browser needs to confirm an action with a passkey. What is confirmed is fixed here, not in the answer. */
export async function startPasskeyStepUp(
  iam: Iam,
  ctx: Ctx,
  { me, confirmed }: { me: Me; confirmed: Confirmed },
) {
  const passkeys = await activeFactors(ctx, me.operatorId, 'webauthn');
  if (passkeys.length === 0) throw errors.NO_SECOND_FACTOR();
  const options = await authenticationOptions(iam.config, passkeys);
  const { id, expiresAt } = await insertChallenge(ctx, {
    purpose: 'step_up',
    operator_id: me.operatorId,
    session_id: me.sessionId,
    webauthn_challenge: options.challenge,
    ...confirmedColumns(confirmed),
  });
  return { challengeId: id, expiresAt, options };
}

/** Recovery codes are not among them: recovery signs in, it confirms nothing (safety rule 20). */
export type StepUpAnswer =
  | { method: 'totp'; code: string; confirmed: Confirmed }
  | { method: 'webauthn'; challengeId: Id<'chl'>; response: AuthenticationResponseJSON };

export type StepUpOutcome =
  | { kind: 'attested'; attestationId: Id<'mfa'>; expiresAt: Date }
  | { kind: 'refused' | 'no_factor' }
  | { kind: 'blocked'; until: Date };

/** Confirms one action with a second factor; the attestation is good for that action, once, for five minutes. */
export function stepUp(
  iam: Iam,
  bare: Bare,
  { me, answer }: { me: Me; answer: StepUpAnswer },
): Promise<StepUpOutcome> {
  return inTenant(bare, async ctx => {
    const seen = { operatorId: me.operatorId, sessionId: me.sessionId };
    if ((await activeFactors(ctx, me.operatorId, answer.method)).length === 0) return { kind: 'no_factor' };
    const until = await reserveAttempt(ctx, factorSubject(me.operatorId));
    if (until !== undefined) return { kind: 'blocked', until };
    const confirmed = await accept(iam, ctx, me, answer);
    if (confirmed === undefined) {
      await record(ctx, { event: 'step_up.refused', ...seen, details: { method: answer.method } });
      return { kind: 'refused' };
    }
    await clearAttempts(ctx, factorSubject(me.operatorId));
    const method: Factor = answer.method;
    const { id, expiresAt } = await insertAttestation(ctx, { ...seen, method, confirmed });
    await record(ctx, {
      event: 'step_up.accepted',
      ...seen,
      details: { method, action: confirmed.action, attestation: id },
    });
    return { kind: 'attested', attestationId: id, expiresAt };
  });
}

async function accept(iam: Iam, ctx: Ctx, me: Me, answer: StepUpAnswer): Promise<Confirmed | undefined> {
  if (answer.method === 'totp') {
    const accepted = await acceptTotpOf(ctx, iam.keys, { operatorId: me.operatorId, code: answer.code });
    return accepted ? answer.confirmed : undefined;
  }
  const challenge = await takeChallenge(ctx, {
    id: answer.challengeId,
    purpose: 'step_up',
    sessionId: me.sessionId,
  });
  if (challenge?.webauthn_challenge == null) return undefined;
  const accepted = await acceptPasskey(ctx, iam.config, {
    operatorId: me.operatorId,
    response: answer.response,
    challenge: challenge.webauthn_challenge,
  });
  return accepted ? confirmedOf(challenge) : undefined;
}

function confirmedOf({ action, amount_minor, currency, resource }: Challenge): Confirmed | undefined {
  if (action === null) return undefined;
  const amount =
    amount_minor === null || currency === null ? undefined : { amount: String(amount_minor), currency };
  return { action, amount, resource: resource ?? undefined };
}

/** Uses an attestation up for a session that is still alive; false for anything that was not confirmed like this. */
export async function consume(
  ctx: Ctx,
  which: { attestationId: Id<'mfa'>; sessionId: Id<'ses'>; confirmed: Confirmed },
): Promise<boolean> {
  const { attestationId: id, sessionId, confirmed } = which;
  const behind = await findSessionToVerify(ctx, sessionId);
  const alive =
    behind !== undefined &&
    isLive(behind.session, ctx.now) &&
    behind.operatorStatus === 'active' &&
    behind.deviceRevokedAt === null;
  const taken = alive ? await takeAttestation(ctx, { id, sessionId, confirmed }) : undefined;
  if (taken === undefined) return false;
  const details = { action: confirmed.action, attestation: id };
  await record(ctx, { event: 'step_up.consumed', operatorId: taken.operatorId, sessionId, details });
  return true;
}
