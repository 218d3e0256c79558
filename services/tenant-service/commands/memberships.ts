import { type Accepted, accepted } from '@ghasi/db/accepted';
import { assertUpdated } from '@ghasi/db/optimistic';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { coreErrors } from '@ghasi/domain-primitives/errors';
import { type Id, parseId } from '@ghasi/domain-primitives/ids';
import type { MembershipPatch, NewMembership } from '../contract/resources.ts';
import { errors } from '../errors.ts';
import { type Membership, type MembershipChange, membershipRefusal, sees, topRole } from '../model.ts';
import { appendHistory } from '../queries/history.ts';
import {
  countOtherHolders,
  deleteMembership,
  findMembership,
  findMembershipOf,
  insertMembership,
  listMemberships,
  updateMembership,
} from '../queries/memberships.ts';
import { deletePreferencesOf } from '../queries/preferences.ts';
import { roleGranted } from './role-granted.ts';
import { lockOpenTenant } from './tenants.ts';

// Every change takes the tenant's lock first. So each one sees the owners that the one before it left, and two
// owners who remove each other at the same moment do not both succeed (safety rule 54).

/** Makes an operator a member. */
export async function addMembership(ctx: Ctx, input: NewMembership): Promise<Accepted<Membership>> {
  await lockOpenTenant(ctx);
  const by = await acting(ctx);
  const after: Membership = { ...input, id: ctx.newId('mbr'), status: 'active', version: 1 };
  await assertAllowed(ctx, { by, after });
  if (await findMembershipOf(ctx.tx, input.operatorId)) throw errors.MEMBERSHIP_EXISTS();
  await insertMembership(ctx, after);
  await appendHistory(ctx, { action: 'membership.added', subject: after.id, after: shown(after) });
  return accepted(after, roleGranted(after, { by: personOf(by) }));
}

/** Changes roles, properties or status of a membership that nobody changed since the patch's version. */
export async function changeMembership(
  ctx: Ctx,
  { id, patch }: { id: Id<'mbr'>; patch: MembershipPatch },
): Promise<Accepted<Membership>> {
  await lockOpenTenant(ctx);
  const by = await acting(ctx);
  const before = await visible(ctx, by, id);
  const after: Membership = {
    ...before,
    roles: patch.roles ?? before.roles,
    propertyIds: patch.propertyIds ?? before.propertyIds,
    status: patch.status ?? before.status,
    version: patch.version + 1,
  };
  await assertAllowed(ctx, { by, before, after });
  assertUpdated(await updateMembership(ctx, after), 'membership');
  await appendHistory(ctx, {
    action: 'membership.changed',
    subject: id,
    before: shown(before),
    after: shown(after),
  });
  return accepted(after, roleGranted(after, { before, by: personOf(by) }));
}

/** Ends a membership that nobody changed since this version, and forgets the operator's preferences here. */
export async function removeMembership(ctx: Ctx, input: { id: Id<'mbr'>; version: number }): Promise<void> {
  await lockOpenTenant(ctx);
  const by = await acting(ctx);
  const before = await visible(ctx, by, input.id);
  await assertAllowed(ctx, { by, before });
  assertUpdated(await deleteMembership(ctx.tx, { ...before, version: input.version }), 'membership');
  await deletePreferencesOf(ctx.tx, before.operatorId);
  await appendHistory(ctx, { action: 'membership.removed', subject: input.id, before: shown(before) });
}

/** One membership, if the one who asks may know of it. */
export async function readMembership(ctx: Ctx, id: Id<'mbr'>): Promise<Membership> {
  return visible(ctx, await acting(ctx), id);
}

/** The memberships the one who asks may know of, a page at a time. */
export async function readMemberships(
  ctx: Ctx,
  page: { after?: Id<'mbr'> | undefined; limit: number },
): Promise<Membership[]> {
  const by = await acting(ctx);
  return listMemberships(ctx.tx, { ...page, scope: by === 'system' ? 'all' : by.propertyIds });
}

/** Who acts, with the rights he has in this very transaction: those of his token may be seconds old. */
async function acting({ tx, actor }: Pick<Ctx, 'tx' | 'actor'>): Promise<Membership | 'system'> {
  if (actor.type === 'system') return 'system';
  const own = actor.type === 'user' ? await findMembershipOf(tx, parseId('usr', actor.id)) : undefined;
  if (own?.status !== 'active') throw coreErrors.FORBIDDEN();
  return own;
}

function personOf(by: Membership | 'system'): Id<'usr'> | null {
  return by === 'system' ? null : by.operatorId;
}

/** A membership out of sight and one that does not exist look the same. */
async function visible(
  { tx }: Pick<Ctx, 'tx'>,
  by: Membership | 'system',
  id: Id<'mbr'>,
): Promise<Membership> {
  const found = await findMembership(tx, id);
  if (found === undefined || !sees(by, found)) throw coreErrors.NOT_FOUND({ entity: 'Membership' });
  return found;
}

async function assertAllowed(
  { tx, tenantId }: Pick<Ctx, 'tx' | 'tenantId'>,
  change: Omit<MembershipChange, 'tenantId' | 'otherOwners'>,
): Promise<void> {
  const { before } = change;
  const otherOwners = before ? await countOtherHolders(tx, topRole(tenantId), before.id) : 0;
  const refusal = membershipRefusal({ ...change, tenantId, otherOwners });
  if (refusal === 'FORBIDDEN') throw coreErrors.FORBIDDEN();
  if (refusal !== undefined) throw errors[refusal]();
}

function shown({ id: _, ...rest }: Membership) {
  return rest;
}
