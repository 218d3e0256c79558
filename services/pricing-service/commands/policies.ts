import { assertUpdated } from '@ghasi/db/optimistic';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { coreErrors } from '@ghasi/domain-primitives/errors';
import type { Id } from '@ghasi/domain-primitives/ids';
import type { Fee, NewPolicy, PolicyView } from '../contract/resources.ts';
import { errors } from '../errors.ts';
import type { Property } from '../model/quote.ts';
import { findProperty } from '../queries/houses.ts';
import { deletePolicy, findPolicies, insertPolicy, isPolicyUsed, updatePolicy } from '../queries/policies.ts';

/** The property a command is about; nothing can be sold in a house we have not heard of. */
export async function knownProperty({ tx }: Pick<Ctx, 'tx'>, id: Id<'pro'>): Promise<Property> {
  const found = await findProperty(tx, id);
  if (found === undefined) throw errors.PROPERTY_UNKNOWN();
  return found;
}

/** Every price of a house is in its currency. */
export function assertCurrency(
  { currency }: Pick<Property, 'currency'>,
  amounts: readonly ({ currency: string } | null | undefined)[],
): void {
  if (amounts.some(amount => amount != null && amount.currency !== currency))
    throw errors.CURRENCY_DIFFERS({ currency });
}

/** Writes a policy down. */
export async function createPolicy(ctx: Ctx, input: NewPolicy): Promise<PolicyView> {
  assertCurrency(await knownProperty(ctx, input.propertyId), feesIn(input).map(amountIn));
  const policy: PolicyView = { ...input, id: ctx.newId('pol'), version: 1 };
  await insertPolicy(ctx, policy);
  return policy;
}

/** Changes a policy for bookings to come; quotes keep the terms they were made with. */
export async function changePolicy(
  ctx: Ctx,
  { id, version, policy }: { id: Id<'pol'>; version: number; policy: NewPolicy },
): Promise<PolicyView> {
  const before = (await findPolicies(ctx.tx, [id])).get(id);
  if (before === undefined) throw coreErrors.NOT_FOUND({ entity: 'Policy' });
  if (before.propertyId !== policy.propertyId || before.kind !== policy.kind)
    throw errors.POLICY_UNFIT({ policyId: id, kind: policy.kind });
  assertCurrency(await knownProperty(ctx, policy.propertyId), feesIn(policy).map(amountIn));
  const after: PolicyView = { ...policy, id, version: version + 1 };
  assertUpdated(await updatePolicy(ctx.tx, after), 'policy');
  return after;
}

/** Removes a policy that no plan uses. */
export async function removePolicy(ctx: Ctx, { id, version }: { id: Id<'pol'>; version: number }) {
  if (!(await findPolicies(ctx.tx, [id])).has(id)) throw coreErrors.NOT_FOUND({ entity: 'Policy' });
  if (await isPolicyUsed(ctx.tx, id)) throw errors.POLICY_IN_USE();
  assertUpdated(await deletePolicy(ctx.tx, id, version), 'policy');
}

function feesIn(policy: NewPolicy): Fee[] {
  if (policy.kind === 'deposit') return [policy.terms.deposit];
  if (policy.kind === 'no_show') return [policy.terms.fee];
  const { steps, lateFee, changeFee, earlyDepartureFee } = policy.terms;
  return [...steps.map(({ fee }) => fee), lateFee, changeFee, earlyDepartureFee];
}

function amountIn(fee: Fee) {
  return fee.kind === 'amount' ? fee.amount : null;
}
