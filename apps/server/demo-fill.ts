import type { Database } from '@ghasi/db/database';
import type { CurrencyCode } from '@ghasi/domain-primitives/currencies';
import type { Id, TenantId } from '@ghasi/domain-primitives/ids';
import { addDays, type LocalDate } from '@ghasi/domain-primitives/local-date';
import type { Zone } from '@ghasi/domain-primitives/zone';
import { seedAnalytics } from '@melmastoon/analytics-service/demo';
import { seedFolios } from '@melmastoon/billing-service/demo';
import { chargesIn, keepStay } from '@melmastoon/billing-service/demo-book';
import { seedGuests } from '@melmastoon/housekeeping-service/demo';
import { seedAllocations } from '@melmastoon/inventory-service/demo';
import { seedKeys } from '@melmastoon/lock-integration-service/demo';
import { seedPayments } from '@melmastoon/payment-gateway-service/demo';
import type { SeededPlans } from '@melmastoon/pricing-service/demo';
import { readPlans, seedQuotes } from '@melmastoon/pricing-service/demo-quotes';
import { SOLD_SINCE } from '@melmastoon/property-service/demo';
import { hasBookings, seedBookings } from '@melmastoon/reservation-service/demo';
import { type DemoRoomType, demoStays } from './demo-stays.ts';
import { allocationOf, bookingOf, countedOf, folioOf, guestsOf, keysOf } from './demo-views.ts';

/** A house that is to be filled, with what its services must know of it. */
export type FilledHouse = {
  readonly tenantId: TenantId;
  readonly propertyId: Id<'pro'>;
  readonly zone: Zone;
  readonly currency: CurrencyCode;
  readonly checkInFrom: string;
  readonly checkOutUntil: string;
  readonly roomTypes: readonly DemoRoomType[];
  readonly rooms: readonly {
    readonly id: Id<'rom'>;
    readonly roomTypeId: Id<'rty'>;
    readonly number: string;
  }[];
  readonly plans: SeededPlans;
  /** Who works at the desk. */
  readonly operatorId: Id<'usr'>;
  /** The hotel day it opened with, and is on. */
  readonly today: LocalDate;
};

/** The schemas of the services that know of a stay. */
export const filled = [
  'pricing',
  'inventory',
  'payment_gateway',
  'billing',
  'housekeeping',
  'lock_integration',
  'analytics',
  'reservation',
] as const;

/** What drawers begin their day with, in minor units. */
const floats: Readonly<Record<string, bigint>> = { AFN: 1_000_000n, USD: 20_000n };

/** The simulators that a demo pays by. */
const providers = {
  card: 'demo_acquirer',
  paypal: 'demo_paypal',
  mobile_money: 'demo_mobile_money',
} as const;

/**
 * Gives a house three months of guests before and after its hotel day, once: a house that has a booking is left alone for
 * good. Each service is filled in a transaction of its own, reservation-service last; if this process dies in between,
 * the next start makes the same stays again and fills those in that have none. Returns how many stays were made.
 */
export async function fillHouse(
  databases: Readonly<Record<(typeof filled)[number], Database>>,
  house: FilledHouse,
): Promise<number> {
  if (await hasBookings(databases.reservation, house)) return 0;
  const { tenantId, propertyId, currency, zone, checkInFrom, today } = house;
  const stays = demoStays(house, today);
  const plans = await readPlans(databases.pricing, house);
  const priced = { ...house, property: { id: propertyId, zone, currency, checkInFrom } };
  const quotes = () => stays.map(stay => ({ ...stay, isGivenBack: stay.status === 'cancelled' }));
  const counted = { ...house, sellableFrom: addDays(today, -SOLD_SINCE) };
  const till = { ...house, providers, float: floats[currency] ?? 10_000n };
  const paid = () => stays.map(stay => ({ ...stay, ended: stay.end?.kind ?? null }));
  const kept = stays.map(stay => keepStay(house, folioOf(stay)));
  const charges = kept.flatMap(({ book }) => chargesIn(book));
  // Side by side: most of it is work for the database.
  await Promise.all([
    seedFolios(databases.billing, house, () => kept),
    seedAnalytics(databases.analytics, {
      tenantId,
      stays: stays.map(stay => countedOf(house, stay)),
      charges: charges.map(charge => ({ ...charge, propertyId, currency })),
    }),
    seedQuotes(databases.pricing, priced, quotes),
    seedAllocations(databases.inventory, counted, () => stays.map(allocationOf)),
    seedPayments(databases.payment_gateway, till, paid),
    seedGuests(databases.housekeeping, house, () => stays.flatMap(stay => guestsOf(house, stay))),
    seedKeys(databases.lock_integration, house, () => stays.flatMap(stay => keysOf(house, stay))),
  ]);
  await seedBookings(databases.reservation, house, () =>
    stays.map(stay => bookingOf(house, stay, plans[stay.plan])),
  );
  return stays.length;
}
