import { type Accepted, accepted } from '@ghasi/db/accepted';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { coreErrors } from '@ghasi/domain-primitives/errors';
import type { Id } from '@ghasi/domain-primitives/ids';
import type { RegistrationResponseJSON } from '@simplewebauthn/server';
import { errors } from '../errors.ts';
import { MfaEnrolled } from '../events.ts';
import { FIRST_VERSION, sessionsRevoked } from '../facts.ts';
import { type Bare, type Iam, inTenant } from '../iam.ts';
import { amrOf, type Factor, RECOVERY_CODES } from '../model.ts';
import { clearAttempts, reserveAttempt } from '../queries/attempts.ts';
import { insertChallenge, takeChallenge } from '../queries/challenges.ts';
import {
  activateTotp,
  activeFactors,
  deleteFactor,
  deleteRecoveryCodes,
  findPendingTotp,
  insertPasskey,
  replacePendingTotp,
  replaceRecoveryCodes,
} from '../queries/factors.ts';
import { getOperator, lockOperator } from '../queries/operators.ts';
import { record } from '../queries/security-log.ts';
import { type OpenedSession, revokeSessions } from '../queries/sessions.ts';
import { acceptTotp, newTotpSecret, sealTotpSecret } from '../totp.ts';
import { readRegistration, registrationOptions } from '../webauthn.ts';
import { factorSubject } from './finish-sign-in.ts';
import { lockMySession, type Me, replaceSession } from './sessions.ts';

/** Makes a TOTP secret for a person who has proven himself; it counts once a code was shown. */
export async function startTotp(iam: Iam, ctx: Ctx, { me, label }: { me: Me; label: string }) {
  const operator = await getOperator(ctx, me.operatorId);
  const factorId = ctx.newId('fac', ctx.now.getTime());
  const { secret, uri } = newTotpSecret(iam.config.rpName, operator.email);
  const owner = { tenantId: ctx.tenantId, operatorId: me.operatorId, factorId };
  const sealedSecret = sealTotpSecret(iam.keys, secret, owner);
  await replacePendingTotp(ctx, { id: factorId, operatorId: me.operatorId, label, sealedSecret });
  return { factorId, secret, uri };
}

/** A factor that counts now: the session that replaces the old one, and recovery codes with the first factor. */
export type Activated = {
  kind: 'activated';
  factorId: Id<'fac'>;
  opened: OpenedSession;
  recoveryCodes: string[] | undefined;
};
export type ActivateOutcome = Activated | { kind: 'refused' } | { kind: 'blocked'; until: Date };

/** Makes a TOTP factor count after its first code. */
export function confirmTotp(
  iam: Iam,
  bare: Bare,
  { me, factorId, code }: { me: Me; factorId: Id<'fac'>; code: string },
): Promise<ActivateOutcome> {
  return inTenant(bare, async ctx => {
    const until = await reserveAttempt(ctx, factorSubject(me.operatorId));
    if (until !== undefined) return { kind: 'blocked', until };
    const pending = await findPendingTotp(ctx, me.operatorId, factorId);
    if (pending === undefined || !(await acceptTotp(ctx, iam.keys, pending, code)))
      return { kind: 'refused' };
    await clearAttempts(ctx, factorSubject(me.operatorId));
    return activate(iam, ctx, { me, factorId, method: 'totp' }, () =>
      activateTotp(ctx, me.operatorId, factorId),
    );
  });
}

/** What a browser needs to make a passkey, and the challenge it must come back with. */
export async function startPasskey(iam: Iam, ctx: Ctx, me: Me) {
  const operator = await getOperator(ctx, me.operatorId);
  const known = await activeFactors(ctx, me.operatorId, 'webauthn');
  const options = await registrationOptions(iam.config, operator, known);
  const { id, expiresAt } = await insertChallenge(ctx, {
    purpose: 'register',
    operator_id: me.operatorId,
    session_id: me.sessionId,
    webauthn_challenge: options.challenge,
  });
  return { challengeId: id, expiresAt, options };
}

/** Makes a passkey count. */
export function finishPasskey(
  iam: Iam,
  bare: Bare,
  input: { me: Me; challengeId: Id<'chl'>; label: string; response: RegistrationResponseJSON },
): Promise<ActivateOutcome> {
  return inTenant(bare, async ctx => {
    const { me, label } = input;
    const challenge = await takeChallenge(ctx, {
      id: input.challengeId,
      purpose: 'register',
      sessionId: me.sessionId,
    });
    if (challenge?.webauthn_challenge == null) return { kind: 'refused' };
    const credential = await readRegistration(iam.config, input.response, challenge.webauthn_challenge);
    if (credential === undefined) return { kind: 'refused' };
    const factorId = ctx.newId('fac', ctx.now.getTime());
    return activate(iam, ctx, { me, factorId, method: 'webauthn' }, async () => {
      const added = await insertPasskey(ctx, {
        id: factorId,
        operatorId: me.operatorId,
        label,
        credentialId: credential.id,
        publicKey: Buffer.from(credential.publicKey),
        signCount: credential.counter,
        transports: credential.transports ?? [],
      });
      if (!added) throw errors.FACTOR_REFUSED();
      return FIRST_VERSION;
    });
  });
}

/**
 * Lets a factor count; `makeItCount` returns the version it has then. Its owner has just shown it, so his session continues under a new id with that said; with the
 * first factor all other sessions end, for they never showed one.
 */
async function activate(
  iam: Iam,
  ctx: Ctx,
  { me, factorId, method }: { me: Me; factorId: Id<'fac'>; method: Factor },
  makeItCount: () => Promise<number>,
): Promise<Accepted<Activated>> {
  await lockOperator(ctx, me.operatorId);
  const session = await lockMySession(ctx, me);
  const isFirst = (await activeFactors(ctx, me.operatorId)).length === 0;
  const aggregateVersion = await makeItCount();
  const amr = [...new Set([...session.amr, ...amrOf[method]])];
  const { value: opened, events } = await replaceSession(iam, ctx, { session, amr, reason: 'factor_added' });
  const others = { operatorId: me.operatorId, except: opened.session.id };
  const ended = isFirst ? await revokeSessions(ctx, others, 'factor_added') : [];
  const recoveryCodes = isFirst ? await replaceRecoveryCodes(ctx, me.operatorId, RECOVERY_CODES) : undefined;
  await record(ctx, {
    event: 'factor.added',
    operatorId: me.operatorId,
    sessionId: opened.session.id,
    details: { factor: factorId, method, replaced: session.id },
  });
  const enrolled = { factorId, operatorId: me.operatorId, kind: method };
  return accepted<Activated>({ kind: 'activated', factorId, opened, recoveryCodes }, [
    MfaEnrolled.from(enrolled, { aggregateVersion }),
    ...events,
    ...sessionsRevoked(ended, 'factor_added'),
  ]);
}

/** Removes one's own factor; with the last one go the recovery codes, for they stand in for nothing. */
export async function removeFactor(
  ctx: Ctx,
  { me, factorId }: { me: Me; factorId: Id<'fac'> },
): Promise<void> {
  await lockOperator(ctx, me.operatorId);
  if (!(await deleteFactor(ctx, me.operatorId, factorId))) throw coreErrors.NOT_FOUND({ entity: 'Factor' });
  if ((await activeFactors(ctx, me.operatorId)).length === 0) await deleteRecoveryCodes(ctx, me.operatorId);
  const seen = { operatorId: me.operatorId, sessionId: me.sessionId };
  await record(ctx, { event: 'factor.removed', ...seen, details: { factor: factorId } });
}

/** New recovery codes; the old ones stop working. */
export async function renewRecoveryCodes(ctx: Ctx, me: Me): Promise<string[]> {
  await lockOperator(ctx, me.operatorId);
  if ((await activeFactors(ctx, me.operatorId)).length === 0) throw errors.NO_SECOND_FACTOR();
  await record(ctx, {
    event: 'factor.recovery_codes_made',
    operatorId: me.operatorId,
    sessionId: me.sessionId,
  });
  return replaceRecoveryCodes(ctx, me.operatorId, RECOVERY_CODES);
}
