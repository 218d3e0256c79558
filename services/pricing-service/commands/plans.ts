import { type Accepted, accepted } from '@ghasi/db/accepted';
import { assertUpdated } from '@ghasi/db/optimistic';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { coreErrors } from '@ghasi/domain-primitives/errors';
import type { Id } from '@ghasi/domain-primitives/ids';
import { localDateIn } from '@ghasi/domain-primitives/zone';
import { MOST_DAYS, type PlanStatus, type PlanValues, type PlanView } from '../contract/resources.ts';
import { type archiveReasons, RatePlanArchived, RatePlanPublished } from '../contract.ts';
import { errors } from '../errors.ts';
import { isBaseFor, mayBecome } from '../model/plan.ts';
import type { Property } from '../model/quote.ts';
import { findRoomTypes } from '../queries/houses.ts';
import { findPlans, insertPlan, lockPlan, plansDerivedFrom, updatePlan } from '../queries/plans.ts';
import { findPolicies } from '../queries/policies.ts';
import { repriceDerived, windowFrom } from './calendar.ts';
import { assertCurrency, knownProperty } from './policies.ts';

/** Writes a plan down; it is sold once it is published. */
export async function createPlan(ctx: Ctx, values: PlanValues): Promise<PlanView> {
  const property = await fitting(ctx, values);
  const { currency } = property;
  const plan: PlanView = { ...values, id: ctx.newId('rpl'), currency, status: 'draft', version: 1 };
  await insertPlan(ctx, plan);
  return plan;
}

/** Changes a plan that nobody changed since this version; a published one is told anew. */
export async function changePlan(
  ctx: Ctx,
  { id, version, values }: { id: Id<'rpl'>; version: number; values: PlanValues },
): Promise<Accepted<PlanView>> {
  const before = await locked(ctx, id);
  if (before.status === 'archived')
    throw errors.PLAN_TRANSITION_REFUSED({ from: 'archived', to: before.status });
  if (values.propertyId !== before.propertyId) throw errors.PROPERTY_FIXED();
  const property = await fitting(ctx, values, id);
  const following = await plansDerivedFrom(ctx.tx, id);
  const after: PlanView = { ...before, ...values, version: version + 1 };
  if (following.some(plan => !isBaseFor(after, plan))) throw errors.BASE_PLAN_IN_USE();
  assertUpdated(await updatePlan(ctx.tx, after), 'rate plan');
  if (after.status !== 'published') return accepted(after, []);
  return accepted(after, [published(after), ...(await repriced(ctx, { before, after, property }))]);
}

/** Puts a plan on sale. */
export async function publishPlan(ctx: Ctx, input: PlanStep): Promise<Accepted<PlanView>> {
  const before = await locked(ctx, input.id);
  const after = moved(before, 'published', input.version);
  const property = await fitting(ctx, before, before.id);
  assertUpdated(await updatePlan(ctx.tx, after), 'rate plan');
  const unpriced = { ...after, derivation: null };
  const events = after.derivation === null ? [] : await repriced(ctx, { before: unpriced, after, property });
  return accepted(after, [published(after), ...events]);
}

/** Takes a plan off sale for good; bookings made on it keep it. */
export async function archivePlan(
  ctx: Ctx,
  input: PlanStep & { reason: (typeof archiveReasons)[number]; replacedBy: Id<'rpl'> | null },
): Promise<Accepted<PlanView>> {
  const before = await locked(ctx, input.id);
  const after = moved(before, 'archived', input.version);
  if ((await plansDerivedFrom(ctx.tx, before.id)).length > 0) throw errors.BASE_PLAN_IN_USE();
  if (input.replacedBy !== null && !(await findPlans(ctx.tx, [input.replacedBy])).has(input.replacedBy))
    throw coreErrors.NOT_FOUND({ entity: 'Rate plan' });
  assertUpdated(await updatePlan(ctx.tx, after), 'rate plan');
  // A draft was never told of.
  if (before.status === 'draft') return accepted(after, []);
  const { propertyId, roomTypeIds, version } = after;
  const payload = {
    ...{ ratePlanId: after.id, propertyId, roomTypeIds, planVersion: version },
    ...{ reason: input.reason, replacedBy: input.replacedBy },
  };
  return accepted(after, [RatePlanArchived.from(payload, { aggregateVersion: version })]);
}

type PlanStep = { id: Id<'rpl'>; version: number };

async function locked({ tx }: Pick<Ctx, 'tx'>, id: Id<'rpl'>): Promise<PlanView> {
  const found = await lockPlan(tx, id);
  if (found === undefined) throw coreErrors.NOT_FOUND({ entity: 'Rate plan' });
  return found;
}

function moved(before: PlanView, to: PlanStatus, version: number): PlanView {
  if (!mayBecome(before.status, to)) throw errors.PLAN_TRANSITION_REFUSED({ from: before.status, to });
  return { ...before, status: to, version: version + 1 };
}

/** Everything a plan names is of its house and fits. */
async function fitting(ctx: Ctx, values: PlanValues, own?: Id<'rpl'>): Promise<Property> {
  const property = await knownProperty(ctx, values.propertyId);
  const { derivation, extraGuests, roomTypeIds, policies } = values;
  assertCurrency(property, [
    derivation?.kind === 'amount' ? derivation.amount : null,
    extraGuests?.extraAdult,
    extraGuests?.extraChild,
  ]);
  const known = await findRoomTypes(ctx.tx, property.id, roomTypeIds);
  for (const roomTypeId of roomTypeIds)
    if (!known.has(roomTypeId)) throw errors.ROOM_TYPE_UNKNOWN({ roomTypeId });
  await assertPolicies(ctx, property, policies);
  if (derivation !== null) {
    // Its lock, so that it does not lose its prices or room types meanwhile. A plan never is its own base.
    const base = derivation.fromPlanId === own ? undefined : await lockPlan(ctx.tx, derivation.fromPlanId);
    const hasFollowers = own !== undefined && (await plansDerivedFrom(ctx.tx, own)).length > 0;
    if (!isBaseFor(base, values) || hasFollowers) throw errors.BASE_PLAN_UNFIT();
  }
  return property;
}

async function assertPolicies(
  { tx }: Pick<Ctx, 'tx'>,
  property: Property,
  { cancellationPolicyId, noShowPolicyId, depositPolicyId }: PlanValues['policies'],
): Promise<void> {
  const wanted = [
    ['cancellation', cancellationPolicyId],
    ['no_show', noShowPolicyId],
    ...(depositPolicyId === null ? [] : [['deposit', depositPolicyId] as const]),
  ] as const;
  const found = await findPolicies(
    tx,
    wanted.map(([, id]) => id),
  );
  for (const [kind, policyId] of wanted) {
    const policy = found.get(policyId);
    if (policy?.kind !== kind || policy.propertyId !== property.id)
      throw errors.POLICY_UNFIT({ policyId, kind });
  }
}

/** Where the link to another plan changed, so did prices. */
async function repriced(
  ctx: Ctx,
  { before, after, property }: { before: PlanView; after: PlanView; property: Property },
) {
  const same = JSON.stringify(before.derivation) === JSON.stringify(after.derivation);
  if (same) return [];
  const window = windowFrom(localDateIn(property.zone, ctx.now), MOST_DAYS);
  return repriceDerived(ctx, { before, after, window });
}

function published(plan: PlanView) {
  const { id, propertyId, version, name, roomTypeIds, board, guarantee, refundable, policies } = plan;
  const { sellFrom, sellUntil } = plan;
  const currency = plan.currency as 'AFN'; // one of the kernel's: it came from the property
  return RatePlanPublished.from(
    {
      ...{ ratePlanId: id, propertyId, planVersion: version, name, roomTypeIds, currency },
      ...{ board, guarantee, refundable, policies, sellFrom, sellUntil },
    },
    { aggregateVersion: version },
  );
}
