import { lockEntity } from '@ghasi/db/advisory-lock';
import type { Database } from '@ghasi/db/database';
import { eq } from '@ghasi/db/drizzle';
import { insertAll } from '@ghasi/db/insert-all';
import { type Actor, type Ctx, tenantRead, tenantTransaction } from '@ghasi/db/tenant-transaction';
import type { CurrencyCode } from '@ghasi/domain-primitives/currencies';
import { type Id, idToUuid, type TenantId } from '@ghasi/domain-primitives/ids';
import type { LocalDate } from '@ghasi/domain-primitives/local-date';
import type { Stay } from '@ghasi/domain-primitives/stay';
import { type Agreed, ALLOCATE_MS, type Ended, HOLD_MS, type Reservation } from './model.ts';
import type { Guest } from './queries.ts';
import { guests, reservations } from './tables.ts';

type Taxed = { readonly net: bigint; readonly tax: bigint; readonly gross: bigint };

/** A booking of the demo with everything that has happened to it; amounts are minor units of its house. */
export type SeedBooking = {
  readonly reservationId: Id<'rsv'>;
  readonly guestId: Id<'gst'>;
  readonly allocationId: Id<'alc'>;
  readonly folioId: Id<'fol'>;
  readonly quoteId: Id<'quo'>;
  readonly ratePlanId: Id<'rpl'>;
  readonly code: string;
  readonly guest: Omit<Guest, 'id'>;
  readonly channel: Agreed['channel'];
  readonly status: Reservation['status'];
  readonly version: number;
  readonly stay: Stay;
  readonly rooms: readonly {
    readonly bookedRoomId: Id<'brm'>;
    readonly roomTypeId: Id<'rty'>;
    /** Null: it has no number yet. */
    readonly roomId: Id<'rom'> | null;
    readonly adults: number;
    readonly children: number;
    readonly nights: readonly { readonly date: LocalDate; readonly price: Taxed }[];
  }[];
  readonly total: Taxed;
  readonly policies: Agreed['policies'];
  readonly keyWindow: { readonly validFrom: Date; readonly validUntil: Date };
  readonly payment: {
    readonly rail: Agreed['payment']['rail'];
    readonly paymentId: Id<'pay'>;
    readonly paid: bigint;
    readonly outstanding: bigint;
  };
  readonly dueNow: bigint;
  readonly noShowFee: bigint;
  readonly noShowKeptUntil: Date;
  readonly keyCredentialIds: readonly Id<'key'>[];
  /** The hotel day of the check-in; null: he has not come. */
  readonly inSince: LocalDate | null;
  readonly ended: (Omit<Ended, 'refund'> & { readonly refund: bigint }) | null;
  readonly bookedAt: Date;
  readonly changedAt: Date;
};

/** A house whose bookings are seeded. */
export type BookedHouse = { tenantId: TenantId; propertyId: Id<'pro'>; currency: CurrencyCode };

const seeder: Actor = { type: 'system', id: 'seed' };

/** True if a house has bookings, of the demo or of its own. */
export function hasBookings(db: Database, { tenantId, propertyId }: BookedHouse): Promise<boolean> {
  return tenantRead(db, { tenantId, actor: seeder }, ({ tx }) => isBooked(tx, propertyId));
}

/** Writes the bookings of a house down, with their guests; leaves a house that has bookings as it is. */
export function seedBookings(
  db: Database,
  house: BookedHouse,
  bookings: () => readonly SeedBooking[],
): Promise<void> {
  const { tenantId, propertyId } = house;
  return tenantTransaction(db, { tenantId, actor: seeder }, async ({ tx }) => {
    await lockEntity(tx, tenantId, { type: 'reservation.demo', id: propertyId });
    if (await isBooked(tx, propertyId)) return;
    const all = bookings();
    const people = all.map(({ guestId, guest: { name, phone, email, locale }, bookedAt }) => ({
      ...{ tenantId, id: idToUuid(guestId), name, phone, email, locale, createdAt: bookedAt },
    }));
    await insertAll(tx, guests, people);
    await insertAll(
      tx,
      reservations,
      all.map(booking => rowOf(house, booking)),
    );
  });
}

async function isBooked(tx: Ctx['tx'], propertyId: Id<'pro'>): Promise<boolean> {
  const [found] = await tx
    .select({ id: reservations.id })
    .from(reservations)
    .where(eq(reservations.propertyId, idToUuid(propertyId)))
    .limit(1);
  return found !== undefined;
}

function rowOf(house: BookedHouse, booking: SeedBooking): typeof reservations.$inferInsert {
  const { reservationId, guestId, code, status, version, stay } = booking;
  return {
    tenantId: house.tenantId,
    ...{ id: idToUuid(reservationId), guestId: idToUuid(guestId), propertyId: idToUuid(house.propertyId) },
    ...{ code, status, version, ...stay, agreed: agreedOf(house, booking) },
    createdAt: booking.bookedAt,
    updatedAt: booking.changedAt,
  };
}

function agreedOf({ currency }: BookedHouse, booking: SeedBooking): Agreed {
  const money = (minor: bigint) => ({ amount: String(minor), currency });
  const taxed = ({ net, tax, gross }: Taxed) => ({ net: money(net), tax: money(tax), gross: money(gross) });
  const { channel, quoteId, ratePlanId, stay, policies, payment, ended, keyWindow, inSince } = booking;
  const { bookedAt, allocationId, folioId, keyCredentialIds, noShowKeptUntil } = booking;
  return {
    ...{ channel, bookingDraftId: null, quoteId, policies },
    rooms: booking.rooms.map(({ bookedRoomId, roomTypeId, roomId, adults, children, nights }) => ({
      ...{ bookedRoomId, roomTypeId, ratePlanId, stay, adults, children, roomId },
      nights: nights.map(({ date, price }) => ({ date, price: taxed(price) })),
    })),
    total: taxed(booking.total),
    keyWindow: {
      validFrom: keyWindow.validFrom.toISOString(),
      validUntil: keyWindow.validUntil.toISOString(),
    },
    payment: { ...payment, paid: money(payment.paid), outstanding: money(payment.outstanding) },
    dueNow: money(booking.dueNow),
    noShowFee: money(booking.noShowFee),
    noShowKeptUntil: noShowKeptUntil.toISOString(),
    expiresAt: new Date(bookedAt.getTime() + HOLD_MS).toISOString(),
    allocateBy: new Date(bookedAt.getTime() + ALLOCATE_MS).toISOString(),
    ...{ allocationId, early: null, keptUntil: null, folioId, keyCredentialIds, wanted: null, inSince },
    isWelcomed: inSince !== null,
    ended: ended && { ...ended, refund: money(ended.refund) },
    arrivesOn: channel === 'walk_in' ? stay.arrival : null,
  };
}
