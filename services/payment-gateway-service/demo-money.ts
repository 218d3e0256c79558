import type { CurrencyCode } from '@ghasi/domain-primitives/currencies';
import type { Id, TenantId } from '@ghasi/domain-primitives/ids';
import type { Zone } from '@ghasi/domain-primitives/zone';
import type { ProviderRail, Purpose, Rail } from './model.ts';

/** A house with somebody at its till. */
export type SeedTill = {
  readonly tenantId: TenantId;
  readonly propertyId: Id<'pro'>;
  readonly currency: CurrencyCode;
  readonly zone: Zone;
  /** Whose shifts they were. */
  readonly operatorId: Id<'usr'>;
  /** What a drawer begins its day with, in minor units. */
  readonly float: bigint;
  readonly providers: Readonly<Record<ProviderRail, string>>;
};

/** Money of a booking of the demo; amounts are minor units of its house. */
export type SeedPayment = {
  readonly paymentId: Id<'pay'>;
  readonly purpose: Purpose;
  readonly rail: Rail;
  readonly amount: bigint;
  readonly askedAt: Date;
  /** Null: it has not come. */
  readonly paidAt: Date | null;
  readonly refund: { readonly refundId: Id<'rfd'>; readonly amount: bigint; readonly at: Date } | null;
};

/** A booking of the demo as far as its money goes. */
export type SeedBooking = {
  readonly reservationId: Id<'rsv'>;
  readonly folioId: Id<'fol'>;
  readonly version: number;
  readonly rail: Rail;
  readonly bookedAt: Date;
  /** How it ended before its stay; null: it did not. */
  readonly ended: 'cancelled' | 'no_show' | null;
  readonly payments: readonly SeedPayment[];
};
