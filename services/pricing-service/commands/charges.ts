import { assertUpdated } from '@ghasi/db/optimistic';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { coreErrors } from '@ghasi/domain-primitives/errors';
import type { ChargeValues, ChargeView, PromoValues, PromoView } from '../contract/resources.ts';
import { type CodeOf, deleteCharge, listCharges, writeCharge } from '../queries/charges.ts';
import { deletePromo, listPromos, writePromo } from '../queries/promos.ts';
import { assertCurrency, knownProperty } from './policies.ts';

/** Writes a tax or fee, based on a version; quotes that were made keep the one they had. */
export async function putCharge(
  ctx: Ctx,
  where: CodeOf,
  { version, values }: { version: number; values: ChargeValues },
): Promise<ChargeView> {
  const property = await knownProperty(ctx, where.propertyId);
  assertCurrency(property, [values.basis === 'percent' ? null : values.amount]);
  assertUpdated(await writeCharge(ctx, where, { version, values }), 'tax or fee');
  return { ...where, values, version: version + 1 };
}

/** Ends a tax or fee for quotes to come. */
export async function removeCharge(ctx: Ctx, where: CodeOf, version: number): Promise<void> {
  const known = (await listCharges(ctx.tx, where.propertyId)).some(({ code }) => code === where.code);
  if (!known) throw coreErrors.NOT_FOUND({ entity: 'Tax or fee' });
  assertUpdated(await deleteCharge(ctx.tx, where, version), 'tax or fee');
}

/** Writes a promo code, based on a version. */
export async function putPromo(
  ctx: Ctx,
  where: CodeOf,
  { version, values }: { version: number; values: PromoValues },
): Promise<PromoView> {
  const property = await knownProperty(ctx, where.propertyId);
  assertCurrency(property, [values.kind === 'percent' ? null : values.amount]);
  assertUpdated(await writePromo(ctx, where, { version, values }), 'promo code');
  const [written] = await listPromos(ctx.tx, where);
  return written as PromoView;
}

/** Ends a promo code for quotes to come. */
export async function removePromo(ctx: Ctx, where: CodeOf, version: number): Promise<void> {
  if ((await listPromos(ctx.tx, where)).length === 0) throw coreErrors.NOT_FOUND({ entity: 'Promo code' });
  assertUpdated(await deletePromo(ctx.tx, where, version), 'promo code');
}
