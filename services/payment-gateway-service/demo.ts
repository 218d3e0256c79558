import { lockEntity } from '@ghasi/db/advisory-lock';
import type { Database } from '@ghasi/db/database';
import { eq } from '@ghasi/db/drizzle';
import { insertAll } from '@ghasi/db/insert-all';
import { type Actor, tenantTransaction } from '@ghasi/db/tenant-transaction';
import { minutes } from '@ghasi/domain-primitives/duration';
import { idToUuid } from '@ghasi/domain-primitives/ids';
import { ledgerOf, referenceOf, tillsOf } from './demo-ledger.ts';
import type { SeedBooking, SeedTill } from './demo-money.ts';
import { isProviderRail } from './model.ts';
import { bookings, drawerCounts, drawers, intents, ledger, refunds, shifts } from './tables.ts';

const seeder: Actor = { type: 'system', id: 'seed' };

/** The booking event with which rooms were held; what follows is newer. */
const HELD = 2;

/**
 * Writes down who was asked for what, what came and what went back, with the ledger and the drawers of all that; leaves
 * a house that has bookings as it is.
 */
export function seedPayments(
  db: Database,
  house: SeedTill,
  paid: () => readonly SeedBooking[],
): Promise<void> {
  const { tenantId, propertyId } = house;
  return tenantTransaction(db, { tenantId, actor: seeder }, async ({ tx }) => {
    await lockEntity(tx, tenantId, { type: 'payment.demo', id: propertyId });
    const [known] = await tx
      .select({ id: bookings.reservationId })
      .from(bookings)
      .where(eq(bookings.propertyId, idToUuid(propertyId)))
      .limit(1);
    if (known !== undefined) return;
    const all = paid();
    const each = <T>(rowsOf: (booking: SeedBooking) => T | T[]) => all.flatMap(rowsOf);
    await insertAll(
      tx,
      bookings,
      each(booking => bookingRow(house, booking)),
    );
    await insertAll(
      tx,
      intents,
      each(booking => intentRows(house, booking)),
    );
    await insertAll(
      tx,
      refunds,
      each(booking => refundRows(house, booking)),
    );
    const tills = tillsOf(house, all);
    await insertAll(
      tx,
      shifts,
      tills.map(({ shift }) => shift),
    );
    await insertAll(
      tx,
      drawers,
      tills.map(({ drawer }) => drawer),
    );
    await insertAll(
      tx,
      drawerCounts,
      tills.map(({ count }) => count),
    );
    await insertAll(tx, ledger, ledgerOf(house, all, tills));
  });
}

function bookingRow(house: SeedTill, booking: SeedBooking): typeof bookings.$inferInsert {
  const { reservationId, folioId, version, rail, bookedAt, ended, payments } = booking;
  const [first] = payments;
  return {
    tenantId: house.tenantId,
    ...{
      reservationId: idToUuid(reservationId),
      propertyId: idToUuid(house.propertyId),
      version,
      rail,
      ended,
    },
    ...{ heldVersion: HELD, allocatedVersion: HELD, currency: house.currency },
    ...{ purpose: first?.purpose ?? 'booking', due: first?.amount ?? 0n },
    expiresAt: new Date(bookedAt.getTime() + minutes(10)),
    // How often a folio has changed by now is its own affair: what it says from here on is newer than nothing.
    ...{ folioId: idToUuid(folioId), folioVersion: 1 },
  };
}

function intentRows(house: SeedTill, booking: SeedBooking): (typeof intents.$inferInsert)[] {
  const { reservationId, folioId, ended } = booking;
  return booking.payments.map(payment => {
    const { paymentId, purpose, rail, amount, askedAt, paidAt, refund } = payment;
    const isPaid = paidAt !== null;
    const reservation = idToUuid(reservationId);
    return {
      tenantId: house.tenantId,
      ...{ id: idToUuid(paymentId), reservationId: reservation, folioId: idToUuid(folioId) },
      propertyId: idToUuid(house.propertyId),
      ...{ purpose, rail, amount, currency: house.currency },
      cause: purpose === 'check_out' ? `collect:${folioId}:${rail}` : `${reservation}:held:${HELD}`,
      status: isPaid ? 'captured' : ended === null ? 'promised' : 'cancelled',
      provider: isProviderRail(rail) ? house.providers[rail] : null,
      providerReference: isPaid && isProviderRail(rail) ? referenceOf(payment) : null,
      captured: isPaid ? amount : 0n,
      refunded: refund?.amount ?? 0n,
      version: (isPaid ? 3 : 2) + (refund === null ? 0 : 2),
      createdAt: askedAt,
      updatedAt: refund?.at ?? paidAt ?? askedAt,
    };
  });
}

function refundRows(house: SeedTill, { reservationId, version, ended, payments }: SeedBooking) {
  return payments.flatMap(({ paymentId, refund }): (typeof refunds.$inferInsert)[] => {
    if (refund === null) return [];
    const { refundId, amount, at } = refund;
    return [
      {
        tenantId: house.tenantId,
        ...{ id: idToUuid(refundId), paymentId: idToUuid(paymentId), amount, currency: house.currency },
        ...{ reason: 'cancellation', cause: `${idToUuid(reservationId)}:${ended}:${version}` },
        ...{ status: 'completed', providerReference: `demo-${refundId}`, version: 2 },
        ...{ createdAt: at, updatedAt: at },
      },
    ];
  });
}
