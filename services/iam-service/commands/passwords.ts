import { accepted } from '@ghasi/db/accepted';
import { type Bare, type Iam, inTenant, readTenant } from '../iam.ts';
import { assertNext } from '../model.ts';
import { whyRefused } from '../password-rules.ts';
import { clearAttempts, reserveAttempt, type Subject } from '../queries/attempts.ts';
import {
  consumePasswordLink,
  findLinkedOperator,
  getOperator,
  lockOperator,
  type Operator,
  updateOperator,
  voidPasswordLinks,
} from '../queries/operators.ts';
import { record } from '../queries/security-log.ts';
import { endSessions, type Me } from './sessions.ts';

export type PasswordOutcome =
  | { kind: 'changed' | 'refused' }
  | { kind: 'weak'; reason: string }
  | { kind: 'blocked'; until: Date };

/**
 * Checks the password of somebody who is signed in, with the same count as at sign-in: a stolen session must not
 * become a place to guess.
 */
export async function confirmPassword(
  iam: Iam,
  bare: Bare,
  { me, password }: { me: Me; password: string },
): Promise<{ kind: 'right'; operator: Operator } | { kind: 'refused' } | { kind: 'blocked'; until: Date }> {
  const { operator, until, subject } = await inTenant(bare, async ctx => {
    const found = await getOperator(ctx, me.operatorId);
    const counted: Subject = { kind: 'password', of: [found.email.toLowerCase(), ''] };
    return { operator: found, subject: counted, until: await reserveAttempt(ctx, counted) };
  });
  if (until !== undefined) return { kind: 'blocked', until };
  const owner = { tenantId: bare.tenantId, operatorId: operator.id };
  const right =
    operator.password_hash !== null && (await iam.passwords.verify(password, operator.password_hash, owner));
  if (!right) return { kind: 'refused' };
  await inTenant(bare, ctx => clearAttempts(ctx, subject));
  return { kind: 'right', operator };
}

/** Changes the password of whoever is signed in; ends his other sessions when he wants that. */
export async function changePassword(
  iam: Iam,
  bare: Bare,
  { me, current, wanted, endOthers }: { me: Me; current: string; wanted: string; endOthers: boolean },
): Promise<PasswordOutcome> {
  const confirmed = await confirmPassword(iam, bare, { me, password: current });
  if (confirmed.kind === 'blocked') return confirmed;
  if (confirmed.kind === 'refused') {
    await inTenant(bare, ctx =>
      record(ctx, { event: 'password.change_refused', operatorId: me.operatorId, sessionId: me.sessionId }),
    );
    return { kind: 'refused' };
  }
  const { operator } = confirmed;
  const reason = whyRefused(wanted, operator);
  if (reason !== undefined) return { kind: 'weak', reason };
  const hash = await iam.passwords.hash(wanted, { tenantId: bare.tenantId, operatorId: operator.id });
  return inTenant(bare, async ctx => {
    const locked = await lockOperator(ctx, me.operatorId);
    // Somebody else changed it while we hashed: the current password was not the current one.
    if (locked.password_hash !== operator.password_hash || locked.status !== 'active')
      return { kind: 'refused' };
    await updateOperator(ctx, me.operatorId, { password_hash: hash, password_changed_at: ctx.now });
    await voidPasswordLinks(ctx, me.operatorId);
    const others = { operatorId: me.operatorId, except: me.sessionId };
    const ended = endOthers ? await endSessions(ctx, others, 'password_changed') : undefined;
    await record(ctx, { event: 'password.changed', operatorId: me.operatorId, sessionId: me.sessionId });
    return accepted<PasswordOutcome>({ kind: 'changed' }, ended?.events ?? []);
  });
}

/**
 * Sets the password behind a one-time link and ends every session. It signs nobody in and touches no factor, so a
 * reset never goes round the second factor (safety rule 20).
 */
export async function setPasswordByLink(
  iam: Iam,
  bare: Bare,
  { token, password, addressHash }: { token: string; password: string; addressHash: string },
): Promise<PasswordOutcome> {
  const operator = await readTenant(bare, ctx => findLinkedOperator(ctx, token));
  if (operator === undefined) return { kind: 'refused' };
  const reason = whyRefused(password, operator);
  if (reason !== undefined) return { kind: 'weak', reason };
  const hash = await iam.passwords.hash(password, { tenantId: bare.tenantId, operatorId: operator.id });
  return inTenant(bare, async ctx => {
    const locked = await lockOperator(ctx, operator.id);
    if (locked.status === 'disabled' || !(await consumePasswordLink(ctx, token))) return { kind: 'refused' };
    if (locked.status !== 'active') assertNext(locked.status, 'active');
    await updateOperator(ctx, operator.id, {
      status: 'active',
      password_hash: hash,
      password_changed_at: ctx.now,
    });
    await voidPasswordLinks(ctx, operator.id);
    const { events } = await endSessions(ctx, { operatorId: operator.id }, 'password_reset');
    await record(ctx, { event: 'password.set_by_link', operatorId: operator.id, addressHash });
    return accepted<PasswordOutcome>({ kind: 'changed' }, events);
  });
}
