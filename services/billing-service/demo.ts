import { lockEntity } from '@ghasi/db/advisory-lock';
import type { Database } from '@ghasi/db/database';
import { eq, sql } from '@ghasi/db/drizzle';
import { insertAll } from '@ghasi/db/insert-all';
import { execute } from '@ghasi/db/sql';
import { type Actor, type Ctx, tenantTransaction } from '@ghasi/db/tenant-transaction';
import { type Id, idToUuid, type TenantId } from '@ghasi/domain-primitives/ids';
import type { KeptStay } from './demo-book.ts';
import { postedIn } from './model/book.ts';
import { entries, folios, lines, nights, payments } from './tables.ts';

const seeder: Actor = { type: 'system', id: 'seed' };

/**
 * Writes down the folios of a house's stays with every line that would be on them by its hotel day; leaves a house that
 * has folios as it is. What property-service tells of the house comes by its event.
 */
export function seedFolios(
  db: Database,
  house: { readonly tenantId: TenantId; readonly propertyId: Id<'pro'> },
  kept: () => readonly KeptStay[],
): Promise<void> {
  const { tenantId, propertyId } = house;
  return tenantTransaction(db, { tenantId, actor: seeder }, async ctx => {
    await lockEntity(ctx.tx, tenantId, { type: 'billing.demo', id: propertyId });
    const [known] = await ctx.tx
      .select({ id: folios.id })
      .from(folios)
      .where(eq(folios.propertyId, idToUuid(propertyId)))
      .limit(1);
    if (known !== undefined) return;
    const all = kept();
    await insertFolios(ctx, all);
    await insertLines(ctx, all);
    // Only now: the database takes no line of a closed folio.
    await closeFolios(ctx, all);
  });
}

async function insertFolios({ tx, tenantId }: Ctx, some: readonly KeptStay[]): Promise<void> {
  await insertAll(
    tx,
    folios,
    some.map(({ stay, book: { folio } }) => {
      const { balances: _, payments: __, guestId, quoteId, ...facts } = folio;
      return {
        ...{ ...facts, tenantId, status: 'open' as const, occasion: null, closedOn: null },
        ...{ id: idToUuid(folio.id), reservationId: idToUuid(folio.reservationId) },
        propertyId: idToUuid(folio.propertyId),
        guestId: guestId && idToUuid(guestId),
        quoteId: quoteId && idToUuid(quoteId),
        ...{ createdAt: stay.bookedAt, updatedAt: stay.outAt ?? stay.inAt ?? stay.bookedAt },
      };
    }),
  );
  const asked = some.flatMap(({ stay, book: { folio } }) =>
    folio.payments.map(payment => ({
      ...{ ...payment, tenantId, id: idToUuid(payment.id), folioId: idToUuid(folio.id) },
      createdAt: stay.payments.find(({ paymentId }) => paymentId === payment.id)?.askedAt ?? stay.bookedAt,
    })),
  );
  await insertAll(tx, payments, asked);
  await insertAll(
    tx,
    nights,
    some.flatMap(({ book: { folio, nights: own } }) =>
      own.map(({ bookedRoomId, date, room, net, tax, taxes, posted }) => ({
        ...{ tenantId, folioId: idToUuid(folio.id), bookedRoomId: idToUuid(bookedRoomId), night: date },
        ...{ room, net, tax, posted },
        taxes: taxes?.map(({ code, amount }) => ({ code, amount: String(amount) })) ?? null,
      })),
    ),
  );
}

async function insertLines({ tx, tenantId }: Ctx, some: readonly KeptStay[]): Promise<void> {
  const posted = some.flatMap(({ book }) => postedIn(book).map(line => ({ line, folio: book.folio })));
  await insertAll(
    tx,
    lines,
    posted.map(({ line, folio: { id, currency } }) => ({
      ...{ tenantId, id: idToUuid(line.id), folioId: idToUuid(id), currency },
      ...{ position: line.position, kind: line.kind, cause: line.cause, split: line.split },
      ...{ net: line.net, tax: line.tax, source: line.source ?? null, text: line.text ?? null },
      paymentId: line.paymentId === undefined ? null : idToUuid(line.paymentId),
      refundId: line.refundId === undefined ? null : idToUuid(line.refundId),
      refundReason: line.refundReason ?? null,
      ...{ businessDate: line.businessDate, occurredAt: line.occurredAt, recordedBy: line.recordedBy },
    })),
  );
  await insertAll(
    tx,
    entries,
    posted.flatMap(({ line, folio: { id, currency } }) =>
      line.entries.map((entry, position) => ({
        ...{ tenantId, lineId: idToUuid(line.id), position, folioId: idToUuid(id), currency },
        ...entry,
      })),
    ),
  );
}

async function closeFolios({ tx, tenantId }: Ctx, some: readonly KeptStay[]): Promise<void> {
  const closed = some
    .filter(({ book: { folio } }) => folio.status === 'closed')
    .map(({ book: { folio } }) => ({ id: idToUuid(folio.id), why: folio.occasion, on: folio.closedOn }));
  await execute(
    tx,
    sql`update billing.folios f
        set status = 'closed', occasion = c.why, closed_on = c."on"
        from jsonb_to_recordset(${JSON.stringify(closed)}::jsonb) as c (id uuid, why text, "on" date)
        where f.tenant_id = ${tenantId} and f.id = c.id`,
  );
}
