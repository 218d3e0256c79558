import { and, asc, eq, inArray, sql } from '@ghasi/db/drizzle';
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

/** The folio, locked until the transaction ends (ORD-07, X-089); undefined when there is none. */
export async function lockFolio(tx: Tx, which: Which): Promise<Folio | undefined> {
  const [row] = await tx.select().from(folios).where(named(which)).for('update');
  return row === undefined ? undefined : withMoney(tx, row);
}

/** The folio as it is, without a lock. */
export async function findFolio(tx: Tx, which: Which): Promise<Folio | undefined> {
  const [row] = await tx.select().from(folios).where(named(which));
  return row === undefined ? undefined : withMoney(tx, row);
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
  const found = await lockFolio(tx, origin);
  if (found !== undefined) return found;
  const folio = prepared({ ...origin, id: ctx.newId('fol') });
  await tx
    .insert(folios)
    .values({ ...rowOf(folio), tenantId, createdAt: now, updatedAt: now })
    .onConflictDoNothing();
  return (await lockFolio(tx, origin)) as Folio;
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
  return allWithMoney(tx, found);
}

/** Saves what is known of a folio that is locked. */
export async function saveFolio({ tx, now }: Pick<Ctx, 'tx' | 'now'>, folio: Folio): Promise<void> {
  await tx
    .update(folios)
    .set({ ...rowOf(folio), updatedAt: now })
    .where(eq(folios.id, idToUuid(folio.id)));
}

/** Saves the payments of a folio that are new or changed. */
export async function savePayments(ctx: Ctx, before: readonly Payment[], folio: Folio): Promise<void> {
  const { tx, tenantId, now } = ctx;
  for (const payment of folio.payments.filter(one => !before.includes(one))) {
    const { id, purpose, rail, state, amount, refunded, deposit, version } = payment;
    const values = { purpose, rail, state, amount, refunded, deposit, version };
    await tx
      .insert(payments)
      .values({ ...values, tenantId, id: idToUuid(id), folioId: idToUuid(folio.id), createdAt: now })
      .onConflictDoUpdate({ target: [payments.tenantId, payments.id], set: values });
  }
}

async function withMoney(tx: Tx, row: Row): Promise<Folio> {
  return (await allWithMoney(tx, [row]))[0] as Folio;
}

/** Folios with what stands on their accounts and what was paid: two statements, however many they are. */
async function allWithMoney(tx: Tx, found: readonly Row[]): Promise<Folio[]> {
  if (found.length === 0) return [];
  const ids = found.map(({ id }) => id);
  const [sums, known] = await Promise.all([
    tx
      .select({ folioId: entries.folioId, account: entries.account, amount: sum })
      .from(entries)
      .where(inArray(entries.folioId, ids))
      .groupBy(entries.folioId, entries.account),
    tx.select().from(payments).where(inArray(payments.folioId, ids)).orderBy(asc(payments.id)),
  ]);
  const balances = Map.groupBy(sums, ({ folioId }) => folioId);
  const paid = Map.groupBy(known, ({ folioId }) => folioId);
  return found.map(row => folioOf(row, { sums: balances.get(row.id) ?? [], paid: paid.get(row.id) ?? [] }));
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
