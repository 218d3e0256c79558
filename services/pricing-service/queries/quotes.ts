import { asc, eq, inArray, sql } from '@ghasi/db/drizzle';
import { execute, row, rows } from '@ghasi/db/sql';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { type Id, idFromUuid, idToUuid } from '@ghasi/domain-primitives/ids';
import { parseLocalDate } from '@ghasi/domain-primitives/local-date';
import type { ChargeLine } from '../model/charges.ts';
import { type Adjustment, type QuotedNight, type QuotedRoom, stayOf } from '../model/quote.ts';
import { quoteNights, quoteRooms, quotes } from '../tables.ts';

type Tx = Ctx['tx'];
type Columns = typeof quotes.$inferSelect;

/** A quote as it is stored, with its rooms and nights. */
export type Quote = Omit<
  Columns,
  'tenantId' | 'id' | 'propertyId' | 'previousQuoteId' | 'bookingDraftId' | 'arrival' | 'departure'
> & {
  id: Id<'quo'>;
  propertyId: Id<'pro'>;
  previousQuoteId: Id<'quo'> | null;
  bookingDraftId: Id<'bdr'> | null;
  stay: QuotedRoom['stay'];
  rooms: QuotedRoom[];
};

/** Freezes a quote: three statements, whatever its size. */
export function insertQuote(ctx: Ctx, quote: Quote): void {
  const { tenantId, tx } = ctx;
  const { id, propertyId, previousQuoteId, bookingDraftId, stay, rooms: priced, ...rest } = quote;
  const quoteId = idToUuid(id);
  const head = tx.insert(quotes).values({
    ...rest,
    ...stay,
    tenantId,
    id: quoteId,
    propertyId: idToUuid(propertyId),
    previousQuoteId: previousQuoteId && idToUuid(previousQuoteId),
    bookingDraftId: bookingDraftId && idToUuid(bookingDraftId),
  });
  const rooms = tx.insert(quoteRooms).values(
    priced.map(({ nights: _, stay: window, ...room }, index) => ({
      ...room,
      ...window,
      tenantId,
      quoteId,
      room: index,
      roomTypeId: idToUuid(room.roomTypeId),
      ratePlanId: idToUuid(room.ratePlanId),
      bookedRoomId: room.bookedRoomId && idToUuid(room.bookedRoomId),
    })),
  );
  const entries = priced.flatMap(({ nights }, index) => nights.map(night => nightEntry(night, index)));
  // As one JSON value: fifty rooms for a year are more parameters than a statement may have.
  const nights = sql`insert into pricing.quote_nights
          (tenant_id, quote_id, room, date, base_minor, adjustments, charges, net_minor, tax_minor, gross_minor)
        select ${tenantId}::uuid, ${quoteId}::uuid, n.room, n.date, n.base, n.adjustments, n.charges, n.net, n.tax,
               n.gross
        from jsonb_to_recordset(${JSON.stringify(entries)}::jsonb)
          as n (room smallint, date date, base bigint, adjustments jsonb, charges jsonb, net bigint, tax bigint,
                gross bigint)`;
  ctx.write(head);
  ctx.write(rooms);
  ctx.write(execute(tx, nights));
}

/** A quote with everything in it. */
export async function findQuote(tx: Tx, id: Id<'quo'>): Promise<Quote | undefined> {
  return (await findQuotes(tx, [id]))[0];
}

/** Several of them. */
export async function findQuotes(tx: Tx, ids: readonly Id<'quo'>[]): Promise<Quote[]> {
  if (ids.length === 0) return [];
  const uuids = ids.map(idToUuid);
  const [heads, rooms, nights] = await Promise.all([
    tx.select().from(quotes).where(inArray(quotes.id, uuids)).orderBy(asc(quotes.id)),
    tx.select().from(quoteRooms).where(inArray(quoteRooms.quoteId, uuids)).orderBy(asc(quoteRooms.room)),
    tx.select().from(quoteNights).where(inArray(quoteNights.quoteId, uuids)).orderBy(asc(quoteNights.date)),
  ]);
  const nightsOf = Map.groupBy(nights, night => `${night.quoteId} ${night.room}`);
  const roomsOf = Map.groupBy(rooms, room => room.quoteId);
  return heads.map(({ tenantId: _, arrival, departure, ...head }) => ({
    ...head,
    id: idFromUuid('quo', head.id),
    propertyId: idFromUuid('pro', head.propertyId),
    previousQuoteId: head.previousQuoteId === null ? null : idFromUuid('quo', head.previousQuoteId),
    bookingDraftId: head.bookingDraftId === null ? null : idFromUuid('bdr', head.bookingDraftId),
    stay: stayOf({ arrival, departure }),
    rooms: (roomsOf.get(head.id) ?? []).map(room =>
      roomFrom(room, nightsOf.get(`${head.id} ${room.room}`) ?? []),
    ),
  }));
}

/** Open quotes whose time is over become expired; at most so many, and none that another run holds. */
export async function expireQuotes(tx: Tx, now: Date, most: number): Promise<Id<'quo'>[]> {
  const found = await rows<{ id: string }>(
    tx,
    sql`update pricing.quotes q
        set status = 'expired', version = q.version + 1
        from (select tenant_id, id
              from pricing.quotes
              where status = 'open' and expires_at <= ${now}
              order by id
              limit ${most}
              for update skip locked) due
        where q.tenant_id = due.tenant_id and q.id = due.id
        returning q.id`,
  );
  return found.map(({ id }) => idFromUuid('quo', id)).sort();
}

/** A booking uses the quote; nothing changes when it was used already or is not here. */
export function useQuote({ tx, write }: Ctx, id: Id<'quo'>): void {
  write(
    tx
      .update(quotes)
      .set({ status: 'used', version: sql`${quotes.version} + 1` })
      .where(sql`${eq(quotes.id, idToUuid(id))} and ${quotes.status} <> 'used'`),
  );
}

/** Notes which booking uses which quote. A booking that was given back stays so, in whatever order facts arrive. */
export function noteUse({ tx, tenantId, write }: Ctx, { reservationId, quoteId, status }: Use): void {
  const quote = quoteId && idToUuid(quoteId);
  const use = sql`insert into pricing.quote_uses as known (tenant_id, reservation_id, quote_id, status)
        values (${tenantId}, ${idToUuid(reservationId)}, ${quote}, ${status})
        on conflict (tenant_id, reservation_id) do update
        set quote_id = coalesce(excluded.quote_id, known.quote_id),
            status = case when known.status = 'given_back' then known.status else excluded.status end`;
  write(execute(tx, use));
}

type Use = { reservationId: Id<'rsv'>; quoteId: Id<'quo'> | null; status: 'booked' | 'given_back' };

/** Tenants that have quotes to expire; asked without a tenant. */
export async function tenantsWithLapsedQuotes(tx: Tx, now: Date, most: number): Promise<string[]> {
  const found = await rows<{ tenant_id: string }>(
    tx,
    sql`select tenant_id from pricing.tenants_with_lapsed_quotes(${now}, ${most})`,
  );
  return found.map(({ tenant_id }) => tenant_id);
}

/** The last price difference of a booking. */
export async function lastDelta(
  tx: Tx,
  reservationId: Id<'rsv'>,
): Promise<{ version: number; quoteId: Id<'quo'> } | undefined> {
  const found = await row<{ version: number; quote: string }>(
    tx,
    sql`select reservation_version as version, new_quote_id as quote
        from pricing.deltas
        where reservation_id = ${idToUuid(reservationId)}
        order by reservation_version desc
        limit 1`,
  );
  return found && { version: found.version, quoteId: idFromUuid('quo', found.quote) };
}

function nightEntry({ date, base, adjustments, charges, price }: QuotedNight, room: number) {
  const text = <T extends { amount: bigint }>(one: T) => ({ ...one, amount: one.amount.toString() });
  const { net, tax, gross } = price;
  return {
    ...{ room, date, adjustments: adjustments.map(text), charges: charges.map(text) },
    ...{ base: base.toString(), net: net.toString(), tax: tax.toString(), gross: gross.toString() },
  };
}

function roomFrom(
  { tenantId: _, quoteId: __, room: ___, arrival, departure, ...room }: typeof quoteRooms.$inferSelect,
  nights: readonly (typeof quoteNights.$inferSelect)[],
): QuotedRoom {
  return {
    ...room,
    roomTypeId: idFromUuid('rty', room.roomTypeId),
    ratePlanId: idFromUuid('rpl', room.ratePlanId),
    bookedRoomId: room.bookedRoomId === null ? null : idFromUuid('brm', room.bookedRoomId),
    stay: stayOf({ arrival, departure }),
    remainderOn: parseLocalDate(room.remainderOn),
    nights: nights.map(night => ({
      date: parseLocalDate(night.date),
      base: night.baseMinor,
      // Written by us from these very types.
      adjustments: night.adjustments.map(bigAmount) as Adjustment[],
      charges: night.charges.map(bigAmount) as ChargeLine[],
      price: { net: night.netMinor, tax: night.taxMinor, gross: night.grossMinor },
    })),
  };
}

function bigAmount<T extends { amount: string }>(one: T): Omit<T, 'amount'> & { amount: bigint } {
  return { ...one, amount: BigInt(one.amount) };
}
