import { type Accepted, accepted } from '@ghasi/db/accepted';
import { lockEntity } from '@ghasi/db/advisory-lock';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { coreErrors } from '@ghasi/domain-primitives/errors';
import type { Id, TenantId } from '@ghasi/domain-primitives/ids';
import { membershipOf } from '@melmastoon/tenant-service/contract';
import { errors } from '../errors.ts';
import { personOf, userCreated } from '../facts.ts';
import type { Iam } from '../iam.ts';
import { assertNext, type LinkPurpose, lifetimes } from '../model.ts';
import { deleteAllFactors } from '../queries/factors.ts';
import {
  insertOperator,
  insertPasswordLink,
  listOperators,
  lockOperator,
  type Operator,
  updateOperator,
  voidPasswordLinks,
} from '../queries/operators.ts';
import { record } from '../queries/security-log.ts';
import { endSessions, type Me } from './sessions.ts';

/** A one-time link: shown once, to be handed to the person. */
export type Link = { token: string; purpose: LinkPurpose; expiresAt: Date };

/** An account that waits for its owner. */
export type Invited = { operatorId: Id<'usr'>; link: Link };

/** Adds an account that nobody can use yet, and the link with which its owner sets a password. */
export async function inviteOperator(
  ctx: Ctx,
  { email, name }: { email: string; name: string },
): Promise<Accepted<Invited>> {
  const operatorId = ctx.newId('usr', ctx.now.getTime());
  if (!(await insertOperator(ctx, { id: operatorId, email, name, status: 'invited' })))
    throw errors.EMAIL_TAKEN();
  return invited(ctx, operatorId, personOf(ctx));
}

/**
 * Adds the first account of a tenant that has none, under the id its membership was made for. Where people already
 * work, the platform adds nobody (safety rule 47).
 */
export async function inviteFirstOperator(
  ctx: Ctx,
  { operatorId, email, name }: { operatorId: Id<'usr'>; email: string; name: string },
): Promise<Accepted<Invited>> {
  await lockEntity(ctx.tx, ctx.tenantId, { type: 'first-operator', id: ctx.tenantId });
  if ((await listOperators(ctx, { limit: 1 })).length > 0) throw errors.TENANT_HAS_OPERATORS();
  await insertOperator(ctx, { id: operatorId, email, name, status: 'invited' });
  return invited(ctx, operatorId, null); // whoever asked is no person of this tenant
}

async function invited(
  ctx: Ctx,
  operatorId: Id<'usr'>,
  createdBy: Id<'usr'> | null,
): Promise<Accepted<Invited>> {
  await record(ctx, { event: 'operator.created', operatorId });
  const link = await issueLink(ctx, operatorId);
  return accepted({ operatorId, link }, [userCreated({ operatorId, status: 'invited', createdBy })]);
}

/** Makes a new link for an account: an invitation while nobody has accepted one, else a reset. */
export async function issueLink(ctx: Ctx, operatorId: Id<'usr'>): Promise<Link> {
  const { status } = await lockOperator(ctx, operatorId);
  if (status === 'disabled') throw errors.OPERATOR_STATUS({ from: status, to: 'active' });
  const purpose = status === 'invited' ? 'invite' : 'reset';
  const lifeMs = purpose === 'invite' ? lifetimes.inviteMs : lifetimes.resetMs;
  const { text, expiresAt } = await insertPasswordLink(ctx, { operatorId, purpose, lifeMs });
  await record(ctx, { event: 'operator.link_issued', operatorId, details: { purpose } });
  return { token: text, purpose, expiresAt };
}

/** Closes an account: its sessions and links end with it. */
export async function disableOperator(ctx: Ctx, operatorId: Id<'usr'>): Promise<Accepted<void>> {
  const { status } = await lockOperator(ctx, operatorId);
  assertNext(status, 'disabled');
  await updateOperator(ctx, operatorId, { status: 'disabled' });
  await voidPasswordLinks(ctx, operatorId);
  const { events } = await endSessions(ctx, { operatorId }, 'operator_disabled');
  await record(ctx, { event: 'operator.disabled', operatorId });
  return accepted(undefined, events);
}

/** Opens an account again: to its password, or to an invitation if it never had one. */
export async function enableOperator(ctx: Ctx, operatorId: Id<'usr'>): Promise<void> {
  const operator = await lockOperator(ctx, operatorId);
  const to = operator.password_hash === null ? 'invited' : 'active';
  assertNext(operator.status, to);
  await updateOperator(ctx, operatorId, { status: to });
  await record(ctx, { event: 'operator.enabled', operatorId });
}

/** Takes all factors of somebody who lost them; the next sign-in needs the password only, so sessions end too. */
export async function removeAllFactors(ctx: Ctx, operatorId: Id<'usr'>): Promise<Accepted<void>> {
  await lockOperator(ctx, operatorId);
  await deleteAllFactors(ctx, operatorId);
  const { events } = await endSessions(ctx, { operatorId }, 'revoked');
  await record(ctx, { event: 'factor.all_removed', operatorId });
  return accepted(undefined, events);
}

/** Roles above which nobody stands, in a hotel group and on the platform. */
const topRoles = ['owner', 'platform_admin'] as const;

/** Roles whose holders keep an eye on managers or on money: only an owner may hand out a link to such an account. */
const watchingRoles = ['manager', 'accountant', 'auditor'] as const;

/**
 * Refuses what must not be done to an account by others. `takeover`: whoever gets the link of a reset could use it
 * himself, so a manager gets none for an owner, nor for those who watch over him. Asks tenant-service: call it before
 * the transaction.
 */
export async function assertMayManage(
  iam: Iam,
  { tenantId, me }: { tenantId: TenantId; me: Me },
  { operatorId, takeover = false }: { operatorId: Id<'usr'>; takeover?: boolean },
): Promise<{ isTop: boolean }> {
  if (operatorId === me.operatorId) throw errors.OPERATOR_IS_YOU();
  const membership = await iam.ask(membershipOf, { tenantId, operatorId });
  const isTop = topRoles.some(role => membership?.roles.includes(role));
  const watches = takeover && watchingRoles.some(role => membership?.roles.includes(role));
  const amTop = topRoles.some(role => me.roles.includes(role));
  if ((isTop || watches) && !amTop) throw coreErrors.FORBIDDEN();
  return { isTop };
}

/** How an account looks to those who manage it. */
export function operatorView(operator: Operator) {
  const { id, email, name, status, created_at } = operator;
  return { id, email, name, status, createdAt: created_at.toISOString() };
}
