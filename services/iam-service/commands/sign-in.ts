import { type Accepted, accepted } from '@ghasi/db/accepted';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { membershipOf } from '@melmastoon/tenant-service/contract';
import type { PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/server';
import { provenDevice, type SignedRequest } from '../device-proof.ts';
import { sessionIssued } from '../facts.ts';
import { type Bare, type Iam, inTenant } from '../iam.ts';
import type { SignInMethod } from '../model.ts';
import { clearAttempts, reserveAttempt, type Subject } from '../queries/attempts.ts';
import { insertChallenge } from '../queries/challenges.ts';
import type { Device } from '../queries/devices.ts';
import { activeFactors } from '../queries/factors.ts';
import { findOperatorByEmail, lockOperator, type Operator, updateOperator } from '../queries/operators.ts';
import { record } from '../queries/security-log.ts';
import { insertSession, type OpenedSession } from '../queries/sessions.ts';
import { newSecretToken } from '../secret-token.ts';
import { authenticationOptions } from '../webauthn.ts';

/** Where a request comes from: what the log keeps, and what a device may have signed. */
export type Caller = { addressHash: string; signed: SignedRequest };

export type SignInOutcome =
  | { kind: 'session'; opened: OpenedSession }
  | {
      kind: 'second_factor';
      token: string;
      expiresAt: Date;
      methods: SignInMethod[];
      passkey: PublicKeyCredentialRequestOptionsJSON | undefined;
    }
  | { kind: 'refused' | 'bad_proof' }
  | { kind: 'blocked'; until: Date };

type Input = { email: string; password: string; caller: Caller };
type Attempt = { subject: Subject; device: Device | undefined; operator: Operator | undefined };

/**
 * Signs a person in, or asks for the second factor. Known and unknown accounts take the same steps with the same
 * work, and a refusal says nothing (safety rule 37).
 */
export async function signIn(iam: Iam, bare: Bare, input: Input): Promise<SignInOutcome> {
  const attempt = await inTenant(bare, ctx => beginAttempt(ctx, input));
  if ('kind' in attempt) return attempt;
  const verified = await verifyPassword(iam, bare, { operator: attempt.operator, password: input.password });
  const reason = verified === undefined ? 'credentials' : await whyNotMember(iam, bare, verified);
  if (verified === undefined || reason !== undefined) {
    await inTenant(bare, ctx => recordRefusal(ctx, input, attempt, reason ?? 'credentials'));
    return { kind: 'refused' };
  }
  const fresh = iam.passwords.isStale(verified.password_hash)
    ? await iam.passwords.hash(input.password, ownerOf(bare, verified))
    : undefined;
  return inTenant(bare, ctx => letIn(iam, ctx, { input, attempt, verified, fresh }));
}

/** Counts the attempt before anything is judged, and finds out whether a paired device vouches for it. */
async function beginAttempt(
  ctx: Ctx,
  { email, caller }: Input,
): Promise<Attempt | Extract<SignInOutcome, { kind: 'blocked' | 'bad_proof' | 'refused' }>> {
  const device = await provenDevice(ctx, caller.signed);
  if (caller.signed.proof !== undefined && device === undefined) {
    await record(ctx, { event: 'device.proof_refused', addressHash: caller.addressHash });
    return { kind: 'bad_proof' };
  }
  // A paired device has a count of its own: strangers who guess from outside cannot block the front desk.
  const subject: Subject = { kind: 'password', of: [email.toLowerCase(), device?.id ?? ''] };
  const until = await reserveAttempt(ctx, subject);
  const operator = await findOperatorByEmail(ctx, email);
  if (until === undefined) return { subject, device, operator };
  await record(ctx, { event: 'sign_in.blocked', operatorId: operator?.id, addressHash: caller.addressHash });
  return { kind: 'blocked', until };
}

type WithPassword = Operator & { password_hash: string };

async function verifyPassword(
  iam: Iam,
  bare: Bare,
  { operator, password }: { operator: Operator | undefined; password: string },
): Promise<WithPassword | undefined> {
  if (operator?.status !== 'active' || operator.password_hash === null) {
    await iam.passwords.pretend(password);
    return undefined;
  }
  const right = await iam.passwords.verify(password, operator.password_hash, ownerOf(bare, operator));
  return right ? { ...operator, password_hash: operator.password_hash } : undefined;
}

/** Who left the hotel group has an account and no place in it. */
async function whyNotMember(iam: Iam, bare: Bare, operator: Operator): Promise<string | undefined> {
  const membership = await iam.ask(membershipOf, { tenantId: bare.tenantId, operatorId: operator.id });
  if (membership === null) return 'no_membership';
  return membership.status === 'active' ? undefined : 'membership_suspended';
}

async function letIn(
  iam: Iam,
  ctx: Ctx,
  {
    input,
    attempt,
    verified,
    fresh,
  }: { input: Input; attempt: Attempt; verified: WithPassword; fresh: string | undefined },
): Promise<SignInOutcome | Accepted<SignInOutcome>> {
  const operator = await lockOperator(ctx, verified.id);
  if (operator.status !== 'active' || operator.password_hash !== verified.password_hash) {
    await recordRefusal(ctx, input, attempt, 'changed_meanwhile');
    return { kind: 'refused' };
  }
  await clearAttempts(ctx, attempt.subject);
  if (fresh !== undefined) await updateOperator(ctx, operator.id, { password_hash: fresh });
  const seen = {
    operatorId: operator.id,
    deviceId: attempt.device?.id,
    addressHash: input.caller.addressHash,
  };
  const factors = await activeFactors(ctx, operator.id);
  if (factors.length === 0) {
    const deviceId = attempt.device?.id ?? null;
    const opened = await insertSession(ctx, iam.config, { operatorId: operator.id, deviceId, amr: ['pwd'] });
    await record(ctx, { event: 'sign_in.accepted', sessionId: opened.session.id, ...seen });
    return accepted<SignInOutcome>({ kind: 'session', opened }, [sessionIssued(opened, 'signed_in')]);
  }
  const passkeys = factors.filter(({ kind }) => kind === 'webauthn');
  const passkey = passkeys.length === 0 ? undefined : await authenticationOptions(iam.config, passkeys);
  const token = newSecretToken('sign-in');
  const { expiresAt } = await insertChallenge(ctx, {
    purpose: 'sign_in',
    operator_id: operator.id,
    device_id: attempt.device?.id ?? null,
    token_hash: token.hash,
    webauthn_challenge: passkey?.challenge ?? null,
  });
  await record(ctx, { event: 'sign_in.second_factor_needed', ...seen });
  const methods: SignInMethod[] = [...new Set(factors.map(({ kind }) => kind)), 'recovery'];
  return { kind: 'second_factor', token: token.text, expiresAt, methods, passkey };
}

function recordRefusal(
  ctx: Ctx,
  { caller }: Input,
  { operator, device }: Attempt,
  reason: string,
): Promise<void> {
  return record(ctx, {
    event: 'sign_in.refused',
    operatorId: operator?.id,
    deviceId: device?.id,
    addressHash: caller.addressHash,
    details: { reason },
  });
}

function ownerOf({ tenantId }: Bare, operator: Operator) {
  return { tenantId, operatorId: operator.id };
}
