import { and, asc, desc, eq, gt, gte, inArray, lte, min, sql } from '@ghasi/db/drizzle';
import { rows } from '@ghasi/db/sql';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { type Id, idToUuid } from '@ghasi/domain-primitives/ids';
import type { LocalDate } from '@ghasi/domain-primitives/local-date';
import type { AnchoredRoot, DayRoot } from '../anchor.ts';
import type { anchorMedia } from '../contract.ts';
import { anchors, entries, roots } from '../tables.ts';

type Tx = Ctx['tx'];
type Medium = (typeof anchorMedia)[number];

/** Positions and hashes of a day in their order. */
export async function hashesOfDay(tx: Tx, day: LocalDate): Promise<{ position: number; hash: string }[]> {
  return tx
    .select({ position: entries.position, hash: entries.hash })
    .from(entries)
    .where(eq(entries.day, day))
    .orderBy(asc(entries.position));
}

/** The first day with entries after a position. */
export async function dayAfter(tx: Tx, position: number): Promise<LocalDate | null> {
  const [found] = await tx
    .select({ day: min(entries.day) })
    .from(entries)
    .where(gt(entries.position, position));
  return found?.day ?? null;
}

/** The latest root. */
export async function latestRoot(tx: Tx): Promise<DayRoot | undefined> {
  const [found] = await tx.select().from(roots).orderBy(desc(roots.day)).limit(1);
  return found && fromRow(found);
}

export function insertRoot({ tx, tenantId, now, write }: Ctx, root: DayRoot): void {
  write(tx.insert(roots).values({ ...root, tenantId, sealedAt: now }));
}

/** The root of a day with its anchors; undefined while there is none. */
export async function findRoot(tx: Tx, day: LocalDate): Promise<AnchoredRoot | undefined> {
  const [found] = await tx.select().from(roots).where(eq(roots.day, day));
  return found && (await withAnchors(tx, [fromRow(found)]))[0];
}

/** Roots that lie whole between two positions, oldest first, with their anchors. */
export async function rootsWithin(tx: Tx, first: number, last: number): Promise<AnchoredRoot[]> {
  const found = await tx
    .select()
    .from(roots)
    .where(and(gte(roots.firstPosition, first), lte(roots.lastPosition, last)))
    .orderBy(asc(roots.day));
  return withAnchors(tx, found.map(fromRow));
}

/** Roots whose last entry lies in a range, oldest first, with their anchors. */
export async function rootsEndingIn(
  tx: Tx,
  { after, upTo }: { after: number; upTo: number },
): Promise<AnchoredRoot[]> {
  const found = await tx
    .select()
    .from(roots)
    .where(and(gt(roots.lastPosition, after), lte(roots.lastPosition, upTo)))
    .orderBy(asc(roots.day));
  return withAnchors(tx, found.map(fromRow));
}

/** Roots from a day on, oldest first, with their anchors. */
export async function listRoots(
  tx: Tx,
  { from, limit }: { from: LocalDate; limit: number },
): Promise<AnchoredRoot[]> {
  const found = await tx
    .select()
    .from(roots)
    .where(gte(roots.day, from))
    .orderBy(asc(roots.day))
    .limit(limit);
  return withAnchors(tx, found.map(fromRow));
}

/** Roots that a medium does not keep yet, oldest first. */
export async function unanchored(tx: Tx, medium: Medium, most: number): Promise<DayRoot[]> {
  const found = await rows<{ day: LocalDate }>(
    tx,
    sql`select r.day
        from audit.roots r
        where not exists (
          select from audit.anchors a
          where a.tenant_id = r.tenant_id and a.day = r.day and a.medium = ${medium})
        order by r.day
        limit ${most}`,
  );
  if (found.length === 0) return [];
  const days = found.map(({ day }) => day);
  const list = await tx.select().from(roots).where(inArray(roots.day, days)).orderBy(asc(roots.day));
  return list.map(fromRow);
}

/** Writes down where a root is kept; false when that is known already. */
export async function insertAnchor(
  { tx, tenantId, now }: Ctx,
  anchor: { id: Id<'anc'>; day: LocalDate; medium: Medium; reference: string },
): Promise<boolean> {
  const { rowCount } = await tx
    .insert(anchors)
    .values({ ...anchor, tenantId, id: idToUuid(anchor.id), anchoredAt: now })
    .onConflictDoNothing();
  return rowCount === 1;
}

async function withAnchors(tx: Tx, found: readonly DayRoot[]): Promise<AnchoredRoot[]> {
  if (found.length === 0) return [];
  const known = await tx
    .select({ day: anchors.day, medium: anchors.medium, reference: anchors.reference })
    .from(anchors)
    .where(
      inArray(
        anchors.day,
        found.map(({ day }) => day),
      ),
    )
    .orderBy(asc(anchors.medium));
  const byDay = Map.groupBy(known, ({ day }) => day);
  return found.map(root => ({
    ...root,
    anchors: (byDay.get(root.day) ?? []).map(({ medium, reference }) => ({ medium, reference })),
  }));
}

function fromRow({ tenantId: _, sealedAt: __, ...root }: typeof roots.$inferSelect): DayRoot {
  return root;
}
