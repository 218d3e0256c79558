import { and, asc, eq, sql } from '@ghasi/db/drizzle';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { type Id, idFromUuid, idToUuid } from '@ghasi/domain-primitives/ids';
import type { Night, TaxPart } from '../model/line.ts';
import { nights } from '../tables.ts';
import { isOf, type Which } from './folios.ts';

type Tx = Ctx['tx'];

/** The frozen nights of a folio, by date. */
export async function listNights(tx: Tx, which: Which): Promise<Night[]> {
  const found = await tx
    .select()
    .from(nights)
    .where(isOf(which, nights.folioId))
    .orderBy(asc(nights.night), asc(nights.room));
  return found.map(({ bookedRoomId, night: date, room, net, tax, taxes, posted }) => ({
    ...{ bookedRoomId: idFromUuid('brm', bookedRoomId), date, room, net, tax, posted },
    taxes: taxes?.map(({ code, amount }) => ({ code, amount: BigInt(amount) })) ?? null,
  }));
}

/** Saves what changed between two states of the nights of a folio. */
export function saveNights(
  { tx, tenantId, write }: Ctx,
  folioId: Id<'fol'>,
  { before, after }: { before: readonly Night[]; after: readonly Night[] },
): void {
  const id = idToUuid(folioId);
  const kept = new Set(after.map(keyOf));
  for (const night of before.filter(one => !kept.has(keyOf(one)))) {
    const isIt = and(
      eq(nights.folioId, id),
      eq(nights.bookedRoomId, idToUuid(night.bookedRoomId)),
      eq(nights.night, night.date),
    );
    write(tx.delete(nights).where(isIt));
  }
  const changed = after.filter(one => !before.includes(one));
  if (changed.length === 0) return;
  const rows = changed.map(({ bookedRoomId, date, room, net, tax, posted, taxes }) => ({
    ...{ tenantId, folioId: id, bookedRoomId: idToUuid(bookedRoomId), night: date },
    ...{ room, net, tax, posted, taxes: textOf(taxes) },
  }));
  const upsert = tx
    .insert(nights)
    .values(rows)
    .onConflictDoUpdate({
      target: [nights.tenantId, nights.folioId, nights.bookedRoomId, nights.night],
      set: {
        net: sql`excluded.net`,
        tax: sql`excluded.tax`,
        taxes: sql`excluded.taxes`,
        posted: sql`excluded.posted`,
      },
    });
  write(upsert);
}

function keyOf({ bookedRoomId, date }: Night): string {
  return `${bookedRoomId} ${date}`;
}

/** JSON has no bigint. */
function textOf(taxes: readonly TaxPart[] | null): TaxPart<string>[] | null {
  return taxes?.map(({ code, amount }) => ({ code, amount: String(amount) })) ?? null;
}
