import type { Database } from '@ghasi/db/database';
import { type Actor, tenantRead } from '@ghasi/db/tenant-transaction';
import { coreErrors } from '@ghasi/domain-primitives/errors';
import type { Id, TenantId } from '@ghasi/domain-primitives/ids';
import { localDateIn, parseZone } from '@ghasi/domain-primitives/zone';
import { cacheKey } from '@ghasi/hot/cache-key';
import type { Logger } from '@ghasi/telemetry/logger';
import { cancellationTermsOf, type LeavingTerms } from '@melmastoon/pricing-service/contract/questions';
import { type SiteBooking, siteBookingOf } from '@melmastoon/reservation-service/contract/site-questions';
import { tags, ttlMs } from './caches.ts';
import type { ConfirmationView } from './contract/manage-api.ts';
import { stillToCome } from './model.ts';
import { isBookedBy } from './queries/draft-bookings.ts';
import type { Booking } from './runtime.ts';
import { findSession } from './session.ts';
import { type Locale, siteOf } from './site.ts';

/** Who wants to see a booking. */
export type Visitor = {
  readonly db: Database;
  readonly tenantId: TenantId;
  readonly actor: Actor;
  readonly now: Date;
  readonly log: Logger;
  readonly sessionId: Id<'tnt'>;
  readonly reservationId: Id<'rsv'>;
};

/** Refuses, as if there were no such booking, whoever neither made it nor has shown its code and phone number. */
export async function assertMayManage(booking: Booking, who: Visitor): Promise<void> {
  const { tenantId, sessionId, reservationId, now } = who;
  if (await tenantRead(who.db, who, ({ tx }) => isBookedBy(tx, { sessionId, reservationId }))) return;
  const session = await findSession(booking.state(), { tenantId, sessionId });
  const shown = session?.manages.some(
    one => one.reservationId === reservationId && Date.parse(one.until) > now.getTime(),
  );
  if (!shown) throw coreErrors.NOT_FOUND({ entity: 'Booking' });
}

/** What the pages of a booking are made of, in no language yet. */
export type BookingFacts = { booking: SiteBooking; terms: LeavingTerms | null };

type Of = { tenantId: TenantId; reservationId: Id<'rsv'> };

/** TB-12: what a guest's pages show of his booking. Whatever still moves is read anew each time. */
export async function bookingFacts(booking: Booking, of: Of): Promise<BookingFacts> {
  const { confirmation: cache } = await booking.caches();
  const { tenantId, reservationId } = of;
  const load = () => loadFacts(booking, of);
  const kept = await cache.getOrLoad(cacheKey({ tenantId, parts: [reservationId] }), {
    ttlMs: ttlMs.confirmation,
    tags: [tags.booking(tenantId, reservationId)],
    load,
  });
  const { status, wantedStay } = kept.booking;
  return status === 'draft' || status === 'held' || wantedStay !== null ? load() : kept;
}

/** The same, past the cache, which forgets what it had. */
export async function freshFacts(booking: Booking, of: Of): Promise<BookingFacts> {
  const { confirmation } = await booking.caches();
  await confirmation.invalidateTags([tags.booking(of.tenantId, of.reservationId)]);
  return loadFacts(booking, of);
}

async function loadFacts({ ask }: Booking, { tenantId, reservationId }: Of): Promise<BookingFacts> {
  const booking = await ask(siteBookingOf, { tenantId, reservationId });
  if (booking === null) throw coreErrors.NOT_FOUND({ entity: 'Booking' });
  const at = new Date().toISOString();
  const { quoteId, payment } = booking;
  return { booking, terms: await ask(cancellationTermsOf, { tenantId, quoteId, at, paid: payment.paid }) };
}

const changeable = ['confirmed', 'confirmed_cash_pending'];

/** A booking in the guest's language. */
export async function viewConfirmation(
  booking: Booking,
  { booking: found, terms }: BookingFacts,
  { tenantId, locale, now }: { tenantId: TenantId; locale?: Locale | undefined; now: Date },
): Promise<ConfirmationView> {
  const site = await siteOf(booking, tenantId, { locale: locale ?? found.locale });
  const house = site.properties.find(({ propertyId }) => propertyId === found.propertyId);
  const { reservationId, code, status, guestName, stay, wantedStay, total, payment, keptUntil } = found;
  const cancellation = stillToCome(terms?.deadlines ?? [], now);
  const free = cancellation.findLast(({ until, fee }) => until !== null && fee.amount === '0');
  const isOpen = changeable.includes(status) && wantedStay === null;
  const zone = house?.zone ?? terms?.zone ?? site.zone;
  return {
    ...{ reservationId, code, status, guestName, stay, wantedStay, total, keptUntil },
    property: {
      ...{ propertyId: found.propertyId, name: house?.name ?? '', city: house?.city ?? '', zone },
      ...{ checkInFrom: house?.checkInFrom ?? '', checkOutUntil: house?.checkOutUntil ?? '' },
    },
    rooms: found.rooms.map(({ roomTypeId, adults, children, nights }) => ({
      ...{ roomTypeId, adults, children },
      name: house?.roomTypes.find(type => type.roomTypeId === roomTypeId)?.name ?? '',
      total: {
        ...total.gross,
        amount: nights.reduce((sum, { price }) => sum + BigInt(price.gross.amount), 0n).toString(),
      },
    })),
    ...{ rail: payment.rail, paid: payment.paid, outstanding: payment.outstanding },
    ...{ cancellation, freeUntil: free?.until ?? null },
    canCancel: isOpen,
    canChangeDates: isOpen && stay.arrival > localDateIn(parseZone(zone), now),
  };
}
