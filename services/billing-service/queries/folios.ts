import { and, asc, eq, inArray, type SQL, sql } from '@ghasi/db/drizzle';
import type { PgColumn } from '@ghasi/db/drizzle-tables';
import { rows } from '@ghasi/db/sql';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { coreErrors } from '@ghasi/domain-primitives/errors';
import { type Id, idFromUuid, idToUuid } from '@ghasi/domain-primitives/ids';
import { type Folio, type Payment, prepared } from '../model/folio.ts';
import { entries, folios, nights, payments } from '../tables.ts';

type Tx = Ctx['tx'];
type Row = typeof folios.$inferSelect;

/** Which folio: by its own name or its reservation's. */
export type Which = { readonly folioId: Id<'fol'> } | { readonly reservationId: Id<'rsv'> };

const named = (which: Which) =>
  'folioId' in which
    ? eq(folios.id, idToUuid(which.folioId))
    : eq(folios.reservationId, idToUuid(which.reservationId));

/** Whether a row is of this folio, also while nobody knows its id: so it can be read in one packet with the lock. */
export const isOf = (which: Which, folioId: PgColumn): SQL =>
  'folioId' in which
    ? eq(folioId, idToUuid(which.folioId))
    : sql`${folioId} = (select id from ${folios} where ${named(which)})`;

/** The folio, locked until the transaction ends (ORD-07, X-089); undefined when there is none. */
export async function lockFolio(tx: Tx, which: Which): Promise<Folio | undefined> {
  const [[row], sums, paid] = await Promise.all(lockingOf(tx, which));
  return row && folioOf(row, { sums, paid });
}

/** The folio as it is, without a lock. */
export async function findFolio(tx: Tx, which: Which): Promise<Folio | undefined> {
  const row = tx.select().from(folios).where(named(which));
  const [[found], sums, paid] = await Promise.all([row, ...moneyOf(tx, id => isOf(which, id))]);
  return found && folioOf(found, { sums, paid });
}

/** A folio that must be there. */
export async function readFolio(tx: Tx, folioId: Id<'fol'>): Promise<Folio> {
  const folio = await findFolio(tx, { folioId });
  if (folio === undefined || folio.status === 'prepared') throw coreErrors.NOT_FOUND({ entity: 'Folio' });
  return folio;
}

/** What a folio is made from when it is first heard of. */
export type Origin = Pick<Folio, 'reservationId' | 'propertyId' | 'currency'>;

/** The folio of a reservation, locked; prepared if this is the first that is heard of it. Two at once make one. */
export async function lockOrPrepare(ctx: Ctx, origin: Origin): Promise<Folio> {
  const { tx, tenantId, now } = ctx;
  const folio = prepared({ ...origin, id: ctx.newId('fol') });
  const insert = tx
    .insert(folios)
    .values({ ...rowOf(folio), tenantId, createdAt: now, updatedAt: now })
    .onConflictDoNothing();
  const [, [row], sums, paid] = await Promise.all([insert, ...lockingOf(tx, origin)]);
  return folioOf(row as Row, { sums, paid });
}

/** The statements that lock a folio and then read what is of it; they leave in this order. */
function lockingOf(tx: Tx, which: Which) {
  const row = tx.select().from(folios).where(named(which)).for('update');
  return [row, ...moneyOf(tx, id => isOf(which, id))] as const;
}

/** Folios of a property that a closed day has something to do for: nights to post, or ended bookings to close. */
export async function listDue(
  tx: Tx,
  of: { propertyId: Id<'pro'>; closedDate: string; businessDate: string },
): Promise<Id<'fol'>[]> {
  const found = await rows<{ id: string }>(
    tx,
    sql`select f.id
        from ${folios} f
        where f.property_id = ${idToUuid(of.propertyId)}
          and f.status = 'open'
          and (
            (f.stage = 'in_house' and exists (
              select from ${nights} n
              where n.tenant_id = f.tenant_id
                and n.folio_id = f.id
                and not n.posted
                and n.night <= ${of.closedDate}))
            or (f.stage in ('cancelled', 'no_show') and f.closable_from <= ${of.businessDate}))
        order by f.id`,
  );
  return found.map(({ id }) => idFromUuid('fol', id));
}

/** The folios of some reservations. */
export async function listFolios(tx: Tx, reservationIds: readonly Id<'rsv'>[]): Promise<Folio[]> {
  const found = await tx
    .select()
    .from(folios)
    .where(
      and(
        inArray(folios.reservationId, reservationIds.map(idToUuid)),
        inArray(folios.status, ['open', 'closed']),
      ),
    )
    .orderBy(asc(folios.id));
  if (found.length === 0) return [];
  const ids = found.map(({ id }) => id);
  const [sums, known] = await Promise.all(moneyOf(tx, folioId => inArray(folioId, ids)));
  const balances = Map.groupBy(sums, ({ folioId }) => folioId);
  const paid = Map.groupBy(known, ({ folioId }) => folioId);
  return found.map(row => folioOf(row, { sums: balances.get(row.id) ?? [], paid: paid.get(row.id) ?? [] }));
}

/** Saves what is known of a folio that is locked. */
export function saveFolio({ tx, now, write }: Ctx, folio: Folio): void {
  write(
    tx
      .update(folios)
      .set({ ...rowOf(folio), updatedAt: now })
      .where(eq(folios.id, idToUuid(folio.id))),
  );
}

/** Saves the payments of a folio that are new or changed. */
export function savePayments(ctx: Ctx, before: readonly Payment[], folio: Folio): void {
  const { tx, tenantId, now } = ctx;
  for (const payment of folio.payments.filter(one => !before.includes(one))) {
    const { id, purpose, rail, state, amount, refunded, deposit, version } = payment;
    const values = { purpose, rail, state, amount, refunded, deposit, version };
    ctx.write(
      tx
        .insert(payments)
        .values({ ...values, tenantId, id: idToUuid(id), folioId: idToUuid(folio.id), createdAt: now })
        .onConflictDoUpdate({ target: [payments.tenantId, payments.id], set: values }),
    );
  }
}

/** The statements that read what stands on the accounts of folios and what was paid: two, however many they are. */
function moneyOf(tx: Tx, isTheirs: (folioId: PgColumn) => SQL) {
  const sums = tx
    .select({ folioId: entries.folioId, account: entries.account, amount: sum })
    .from(entries)
    .where(isTheirs(entries.folioId))
    .groupBy(entries.folioId, entries.account);
  const paid = tx.select().from(payments).where(isTheirs(payments.folioId)).orderBy(asc(payments.id));
  return [sums, paid] as const;
}

/** A sum of bigint is numeric, which would arrive as text. */
const sum = sql<bigint>`sum(${entries.amount})::bigint`.mapWith(BigInt);

type Parts = {
  sums: readonly { account: string; amount: bigint }[];
  paid: readonly (typeof payments.$inferSelect)[];
};

function folioOf(row: Row, { sums, paid }: Parts): Folio {
  const { tenantId: _, createdAt: __, updatedAt: ___, ...facts } = row;
  return {
    ...facts,
    id: idFromUuid('fol', row.id),
    reservationId: idFromUuid('rsv', row.reservationId),
    propertyId: idFromUuid('pro', row.propertyId),
    guestId: row.guestId === null ? null : idFromUuid('gst', row.guestId),
    quoteId: row.quoteId === null ? null : idFromUuid('quo', row.quoteId),
    balances: new Map(sums.map(({ account, amount }) => [account, amount])),
    payments: paid.map(({ id, purpose, rail, state, amount, refunded, deposit, version }) => ({
      ...{ id: idFromUuid('pay', id), purpose, rail, state, amount, refunded, deposit, version },
    })),
  };
}

function rowOf(folio: Folio) {
  const { id, reservationId, propertyId, guestId, quoteId, balances: _, payments: __, ...facts } = folio;
  return {
    ...facts,
    id: idToUuid(id),
    reservationId: idToUuid(reservationId),
    propertyId: idToUuid(propertyId),
    guestId: guestId === null ? null : idToUuid(guestId),
    quoteId: quoteId === null ? null : idToUuid(quoteId),
  };
}
