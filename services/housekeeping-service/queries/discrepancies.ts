import { and, desc, eq, isNull, type SQL } from '@ghasi/db/drizzle';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { type Id, idFromUuid, idToUuid } from '@ghasi/domain-primitives/ids';
import type { LocalDate } from '@ghasi/domain-primitives/local-date';
import type { DiscrepancyKind, endings, View } from '../model/discrepancy.ts';
import { discrepancies } from '../tables.ts';

/** A room that desk and housekeeping see differently. */
export type Discrepancy = {
  /** A bare uuid. */
  readonly id: string;
  readonly propertyId: Id<'pro'>;
  readonly roomId: Id<'rom'>;
  readonly kind: DiscrepancyKind;
  readonly frontOffice: View & { readonly persons: number };
  readonly observed: View;
  readonly reservationId: Id<'rsv'> | null;
  readonly businessDate: LocalDate;
  readonly foundAt: Date;
  readonly foundBy: Id<'usr'> | null;
  readonly ending: (typeof endings)[number] | null;
  readonly resolvedBy: Id<'usr'> | null;
  readonly resolvedAt: Date | null;
  readonly note: string | null;
};

/** One discrepancy. */
export async function findDiscrepancy(ctx: Pick<Ctx, 'tx'>, id: string): Promise<Discrepancy | undefined> {
  return (await select(ctx, eq(discrepancies.id, id)))[0];
}

/** The open one of a room; there is one at most. */
export async function openDiscrepancyOf(
  ctx: Pick<Ctx, 'tx'>,
  roomId: Id<'rom'>,
): Promise<Discrepancy | undefined> {
  const ofRoom = and(eq(discrepancies.roomId, idToUuid(roomId)), isNull(discrepancies.ending));
  return (await select(ctx, ofRoom as SQL))[0];
}

/** Those of a house, newest first: the open ones, or the last 200 of all. */
export function listDiscrepancies(
  ctx: Pick<Ctx, 'tx'>,
  { propertyId, onlyOpen }: { propertyId: Id<'pro'>; onlyOpen: boolean },
): Promise<Discrepancy[]> {
  const ofHouse = eq(discrepancies.propertyId, idToUuid(propertyId));
  return select(ctx, onlyOpen ? (and(ofHouse, isNull(discrepancies.ending)) as SQL) : ofHouse, 200);
}

/** Writes one down. */
export function insertDiscrepancy(ctx: Ctx, one: Discrepancy): void {
  const { frontOffice, observed, ...rest } = one;
  const values = {
    ...rest,
    tenantId: ctx.tenantId,
    propertyId: idToUuid(one.propertyId),
    roomId: idToUuid(one.roomId),
    frontOfficeOccupancy: frontOffice.occupancy,
    frontOfficePersons: frontOffice.persons,
    observedOccupancy: observed.occupancy,
    observedPersons: observed.persons,
    reservationId: one.reservationId === null ? null : idToUuid(one.reservationId),
    foundBy: one.foundBy === null ? null : idToUuid(one.foundBy),
    resolvedBy: one.resolvedBy === null ? null : idToUuid(one.resolvedBy),
  };
  ctx.write(ctx.tx.insert(discrepancies).values(values));
}

/** Ends one; without a person, because the facts moved on. */
export function endDiscrepancy(
  ctx: Ctx,
  id: string,
  end: { ending: (typeof endings)[number]; by: Id<'usr'> | null; note: string | null },
): void {
  const resolvedBy = end.by === null ? null : idToUuid(end.by);
  ctx.write(
    ctx.tx
      .update(discrepancies)
      .set({ ending: end.ending, resolvedBy, resolvedAt: ctx.now, note: end.note })
      .where(eq(discrepancies.id, id)),
  );
}

async function select({ tx }: Pick<Ctx, 'tx'>, which: SQL, most = 200): Promise<Discrepancy[]> {
  const found = await tx
    .select()
    .from(discrepancies)
    .where(which)
    .orderBy(desc(discrepancies.foundAt), desc(discrepancies.id))
    .limit(most);
  return found.map(discrepancyFrom);
}

function discrepancyFrom(row: typeof discrepancies.$inferSelect): Discrepancy {
  const { kind, ending, foundAt, resolvedAt, note } = row;
  const person = (uuid: string | null) => (uuid === null ? null : idFromUuid('usr', uuid));
  return {
    ...{ id: row.id, kind, ending, foundAt, resolvedAt, note },
    propertyId: idFromUuid('pro', row.propertyId),
    roomId: idFromUuid('rom', row.roomId),
    frontOffice: { occupancy: row.frontOfficeOccupancy, persons: row.frontOfficePersons },
    observed: { occupancy: row.observedOccupancy, persons: row.observedPersons },
    reservationId: row.reservationId === null ? null : idFromUuid('rsv', row.reservationId),
    businessDate: row.businessDate as LocalDate,
    foundBy: person(row.foundBy),
    resolvedBy: person(row.resolvedBy),
  };
}
