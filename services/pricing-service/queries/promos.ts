import { and, eq, sql } from '@ghasi/db/drizzle';
import { rows } from '@ghasi/db/sql';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { type Id, idToUuid } from '@ghasi/domain-primitives/ids';
import type { PromoValues, PromoView } from '../contract/resources.ts';
import { promos } from '../tables.ts';
import type { CodeOf } from './charges.ts';

const at = ({ propertyId, code }: CodeOf) =>
  and(eq(promos.propertyId, idToUuid(propertyId)), eq(promos.code, code));

/** The promo codes of a property, or one of them, with how many bookings use them now. */
export async function listPromos(
  tx: Ctx['tx'],
  { propertyId, code }: { propertyId: Id<'pro'>; code?: string },
): Promise<PromoView[]> {
  const found = await rows<{ code: string; rule: PromoValues; version: number; uses: bigint }>(
    tx,
    sql`select p.code,
               p.rule,
               p.version,
               (select count(*)
                from pricing.quotes q
                join pricing.quote_uses u on u.quote_id = q.id
                where q.property_id = p.property_id
                  and q.promo_code = p.code
                  and u.status = 'booked') as uses
        from pricing.promos p
        where p.property_id = ${idToUuid(propertyId)}
          and (${code ?? null}::text is null or p.code = ${code ?? null})
        order by p.code`,
  );
  return found.map(({ rule, uses, ...rest }) => ({ ...rest, propertyId, values: rule, uses: Number(uses) }));
}

/** Writes a promo code that has this version, 0 for a new one; returns how many rows that touched. */
export async function writePromo(
  { tx, tenantId }: Pick<Ctx, 'tx' | 'tenantId'>,
  where: CodeOf,
  { version, values }: { version: number; values: PromoValues },
): Promise<number> {
  const { rowCount } =
    version === 0
      ? await tx
          .insert(promos)
          .values({ tenantId, propertyId: idToUuid(where.propertyId), code: where.code, rule: values })
          .onConflictDoNothing()
      : await tx
          .update(promos)
          .set({ rule: values, version: version + 1 })
          .where(and(at(where), eq(promos.version, version)));
  return rowCount ?? 0;
}

/** Removes a promo code that still has this version; quotes that were made with it keep their price. */
export async function deletePromo(tx: Ctx['tx'], where: CodeOf, version: number): Promise<number> {
  const { rowCount } = await tx.delete(promos).where(and(at(where), eq(promos.version, version)));
  return rowCount ?? 0;
}
