import { accepted } from '@ghasi/db/accepted';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import type { Id } from '@ghasi/domain-primitives/ids';
import type { AuthenticationResponseJSON } from '@simplewebauthn/server';
import { provenDevice } from '../device-proof.ts';
import { sessionIssued } from '../facts.ts';
import { type Bare, type Iam, inTenant } from '../iam.ts';
import { amrOf } from '../model.ts';
import { clearAttempts, reserveAttempt, type Subject } from '../queries/attempts.ts';
import { type Challenge, consumeChallenge, countWrongAnswer, lockSignIn } from '../queries/challenges.ts';
import { consumeRecoveryCode } from '../queries/factors.ts';
import { lockOperator } from '../queries/operators.ts';
import { record } from '../queries/security-log.ts';
import { insertSession, type OpenedSession } from '../queries/sessions.ts';
import { acceptTotpOf } from '../totp.ts';
import { acceptPasskey } from '../webauthn.ts';
import type { Caller } from './sign-in.ts';

/** A second factor as it is presented at sign-in. */
export type SignInAnswer =
  | { method: 'totp'; code: string }
  | { method: 'recovery'; code: string }
  | { method: 'webauthn'; response: AuthenticationResponseJSON };

export type FinishOutcome =
  | { kind: 'session'; opened: OpenedSession }
  | { kind: 'refused' }
  | { kind: 'blocked'; until: Date };

/** All ways to present a factor share one count per person. */
export const factorSubject = (operatorId: Id<'usr'>): Subject => ({ kind: 'factor', of: [operatorId] });

/**
 * Finishes a sign-in with the second factor. The challenge row is locked for the whole check, so that one challenge
 * gives one session however many requests race for it.
 */
export function finishSignIn(
  iam: Iam,
  bare: Bare,
  input: { token: string; answer: SignInAnswer; caller: Caller },
): Promise<FinishOutcome> {
  return inTenant(bare, async ctx => {
    const { answer, caller } = input;
    const challenge = await lockSignIn(ctx, input.token);
    if (challenge === undefined) return { kind: 'refused' };
    const operatorId = challenge.operator_id;
    const seen = { operatorId, deviceId: challenge.device_id ?? undefined, addressHash: caller.addressHash };
    const until = await reserveAttempt(ctx, factorSubject(operatorId));
    if (until !== undefined) {
      await record(ctx, { event: 'sign_in.blocked', ...seen, details: { method: answer.method } });
      return { kind: 'blocked', until };
    }
    const sameDevice =
      challenge.device_id === null || (await provenDevice(ctx, caller.signed))?.id === challenge.device_id;
    const isRight = sameDevice && (await accept(iam, ctx, challenge, answer));
    const operator = await lockOperator(ctx, operatorId);
    if (!isRight || operator.status !== 'active') {
      // A passkey's challenge is answered once, right or wrong; a mistyped code may be typed again.
      await (answer.method === 'webauthn'
        ? consumeChallenge(ctx, challenge.id)
        : countWrongAnswer(ctx, challenge.id));
      const reason = sameDevice ? 'answer' : 'device';
      await record(ctx, {
        event: 'second_factor.refused',
        ...seen,
        details: { method: answer.method, reason },
      });
      return { kind: 'refused' };
    }
    await clearAttempts(ctx, factorSubject(operatorId));
    await consumeChallenge(ctx, challenge.id);
    const opened = await insertSession(ctx, iam.config, {
      operatorId,
      deviceId: challenge.device_id,
      amr: amrOf[answer.method],
    });
    if (answer.method === 'recovery') await record(ctx, { event: 'factor.recovery_code_used', ...seen });
    const details = { method: answer.method };
    await record(ctx, { event: 'sign_in.accepted', ...seen, sessionId: opened.session.id, details });
    return accepted<FinishOutcome>({ kind: 'session', opened }, [sessionIssued(opened, 'signed_in')]);
  });
}

async function accept(iam: Iam, ctx: Ctx, challenge: Challenge, answer: SignInAnswer): Promise<boolean> {
  const operatorId = challenge.operator_id;
  switch (answer.method) {
    case 'totp':
      return acceptTotpOf(ctx, iam.keys, { operatorId, code: answer.code });
    case 'recovery':
      return consumeRecoveryCode(ctx, operatorId, answer.code);
    case 'webauthn': {
      const { webauthn_challenge } = challenge;
      if (webauthn_challenge === null) return false;
      return acceptPasskey(ctx, iam.config, {
        operatorId,
        response: answer.response,
        challenge: webauthn_challenge,
      });
    }
  }
}
