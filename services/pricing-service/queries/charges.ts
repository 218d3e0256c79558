import { and, asc, eq } from '@ghasi/db/drizzle';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { type Id, idToUuid } from '@ghasi/domain-primitives/ids';
import type { ChargeValues, ChargeView } from '../contract/resources.ts';
import { charges } from '../tables.ts';

/** Where a tax, a fee or a promo code is found. */
export type CodeOf = { propertyId: Id<'pro'>; code: string };

const at = ({ propertyId, code }: CodeOf) =>
  and(eq(charges.propertyId, idToUuid(propertyId)), eq(charges.code, code));

/** The taxes and fees of a property in the order of their codes: the order they are taken in. */
export async function listCharges(tx: Ctx['tx'], propertyId: Id<'pro'>): Promise<ChargeView[]> {
  const found = await tx
    .select()
    .from(charges)
    .where(eq(charges.propertyId, idToUuid(propertyId)))
    .orderBy(asc(charges.code));
  return found.map(({ code, rule, version }) => ({ propertyId, code, version, values: rule }));
}

/** Writes a tax or fee that has this version, 0 for a new one; returns how many rows that touched. */
export async function writeCharge(
  { tx, tenantId }: Pick<Ctx, 'tx' | 'tenantId'>,
  where: CodeOf,
  { version, values }: { version: number; values: ChargeValues },
): Promise<number> {
  const { rowCount } =
    version === 0
      ? await tx
          .insert(charges)
          .values({ tenantId, propertyId: idToUuid(where.propertyId), code: where.code, rule: values })
          .onConflictDoNothing()
      : await tx
          .update(charges)
          .set({ rule: values, version: version + 1 })
          .where(and(at(where), eq(charges.version, version)));
  return rowCount ?? 0;
}

/** Removes a tax or fee that still has this version; quotes that were made with it keep it. */
export async function deleteCharge(tx: Ctx['tx'], where: CodeOf, version: number): Promise<number> {
  const { rowCount } = await tx.delete(charges).where(and(at(where), eq(charges.version, version)));
  return rowCount ?? 0;
}
