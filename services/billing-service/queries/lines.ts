import { and, asc, eq, inArray } from '@ghasi/db/drizzle';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { coreErrors } from '@ghasi/domain-primitives/errors';
import { type Id, idFromUuid, idToUuid } from '@ghasi/domain-primitives/ids';
import type { Account, Entry } from '../model/accounts.ts';
import type { Folio } from '../model/folio.ts';
import type { Line, StoredLine } from '../model/line.ts';
import { entries, lines } from '../tables.ts';

type Tx = Ctx['tx'];

/** Most lines of a folio that are shown at once. */
const MOST = 5_000;

/** Appends lines with their sides, in two statements. */
export function appendLines(ctx: Ctx, folio: Folio, posted: readonly Line[]): void {
  if (posted.length === 0) return;
  const { tx, tenantId } = ctx;
  const [folioId, { currency }] = [idToUuid(folio.id), folio];
  const rows = posted.map(line => ({
    ...{ tenantId, id: idToUuid(line.id), folioId, currency },
    ...{ position: line.position, kind: line.kind, cause: line.cause, split: line.split },
    ...{ net: line.net, tax: line.tax, source: line.source ?? null, text: line.text ?? null },
    paymentId: line.paymentId === undefined ? null : idToUuid(line.paymentId),
    refundId: line.refundId === undefined ? null : idToUuid(line.refundId),
    refundReason: line.refundReason ?? null,
    reversedLineId: line.reversedLineId === undefined ? null : idToUuid(line.reversedLineId),
    ...{ businessDate: line.businessDate, occurredAt: line.occurredAt, recordedBy: line.recordedBy },
  }));
  ctx.write(tx.insert(lines).values(rows));
  const sides = posted.flatMap(line =>
    line.entries.map((entry, position) => ({
      ...{ tenantId, lineId: idToUuid(line.id), position, folioId, currency },
      ...entry,
    })),
  );
  if (sides.length > 0) ctx.write(tx.insert(entries).values(sides));
}

/** The lines of a folio in their order. */
export async function listLines(tx: Tx, folioId: Id<'fol'>): Promise<StoredLine[]> {
  const found = await tx
    .select()
    .from(lines)
    .where(eq(lines.folioId, idToUuid(folioId)))
    .orderBy(asc(lines.position))
    .limit(MOST);
  return withEntries(tx, found);
}

/** One line of a folio. */
export async function readLine(
  tx: Tx,
  { folioId, lineId }: { folioId: Id<'fol'>; lineId: Id<'fln'> },
): Promise<StoredLine> {
  const found = await tx
    .select()
    .from(lines)
    .where(and(eq(lines.id, idToUuid(lineId)), eq(lines.folioId, idToUuid(folioId))));
  const [line] = await withEntries(tx, found);
  if (line === undefined) throw coreErrors.NOT_FOUND({ entity: 'Line' });
  return line;
}

/** The line of a folio that a thing landed with, if it has. */
export async function findByCause(
  tx: Tx,
  { folioId, cause }: { folioId: Id<'fol'>; cause: string },
): Promise<StoredLine | undefined> {
  const found = await tx
    .select()
    .from(lines)
    .where(and(eq(lines.folioId, idToUuid(folioId)), eq(lines.cause, cause)));
  return (await withEntries(tx, found))[0];
}

/** Fees of a folio that count, i.e. were not taken back. */
export async function standingFees(tx: Tx, folioId: Id<'fol'>): Promise<StoredLine[]> {
  const all = await listLines(tx, folioId);
  const back = new Set(all.flatMap(({ reversedLineId }) => reversedLineId ?? []));
  return all.filter(
    ({ id, source }) =>
      source?.kind === 'fee' && (source.fee === 'cancellation' || source.fee === 'no_show') && !back.has(id),
  );
}

async function withEntries(tx: Tx, found: readonly (typeof lines.$inferSelect)[]): Promise<StoredLine[]> {
  if (found.length === 0) return [];
  const sides = await tx
    .select()
    .from(entries)
    .where(
      inArray(
        entries.lineId,
        found.map(({ id }) => id),
      ),
    )
    .orderBy(asc(entries.position));
  const byLine = Map.groupBy(sides, ({ lineId }) => lineId);
  return found.map(row => lineOf(row, byLine.get(row.id) ?? []));
}

function lineOf(
  row: typeof lines.$inferSelect,
  sides: readonly { account: string; amount: bigint }[],
): StoredLine {
  const { kind, cause, split, net, tax, position, businessDate, occurredAt, recordedBy } = row;
  return {
    ...{ kind, cause, split, net, tax, position, businessDate, occurredAt, recordedBy },
    id: idFromUuid('fln', row.id),
    entries: sides.map(({ account, amount }): Entry => ({ account: account as Account, amount })),
    ...(row.source === null ? {} : { source: row.source }),
    ...(row.text === null ? {} : { text: row.text }),
    ...(row.paymentId === null ? {} : { paymentId: idFromUuid('pay', row.paymentId) }),
    ...(row.refundId === null ? {} : { refundId: idFromUuid('rfd', row.refundId) }),
    ...(row.refundReason === null ? {} : { refundReason: row.refundReason }),
    ...(row.reversedLineId === null ? {} : { reversedLineId: idFromUuid('fln', row.reversedLineId) }),
  };
}
