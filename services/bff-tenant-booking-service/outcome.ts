import type { Database } from '@ghasi/db/database';
import { type Actor, tenantRead } from '@ghasi/db/tenant-transaction';
import { coreErrors } from '@ghasi/domain-primitives/errors';
import type { Id, TenantId } from '@ghasi/domain-primitives/ids';
import type { Logger } from '@ghasi/telemetry/logger';
import { type CheckoutFacts, checkoutOf, settleReturn } from '@melmastoon/payment-gateway-service/contract';
import {
  bookingOfDraft,
  type SiteBooking,
  siteBookingOf,
} from '@melmastoon/reservation-service/contract/site-questions';
import { type OutcomeView, outcomeFailures } from './contract/booking-api.ts';
import { findOwnDraft } from './drafts.ts';
import { outcomeOf } from './model.ts';
import { failureOnRecord, findDraftBooking } from './queries/draft-bookings.ts';
import type { Booking } from './runtime.ts';

/** Who asks about which draft. */
export type Asking = {
  readonly db: Database;
  readonly tenantId: TenantId;
  readonly actor: Actor;
  readonly log: Logger;
  readonly sessionId: Id<'tnt'>;
  readonly draftId: Id<'bdr'>;
};

/** How far a draft is on its way to a booking. From PostgreSQL: a lost hot store changes nothing here. */
export async function readOutcome(
  booking: Booking,
  who: Asking,
  { returned }: { returned: boolean },
): Promise<OutcomeView> {
  const { draftId, tenantId, sessionId } = who;
  const row = await tenantRead(who.db, who, ({ tx }) => findDraftBooking(tx, draftId));
  const none = { draftId, reservationId: null, code: null, redirectUrl: null, expiresAt: null };
  if (row === undefined || row.sessionId !== sessionId) {
    // Nobody has confirmed it yet: there is an outcome only for a draft that is over.
    const draft = await findOwnDraft(booking.state(), { tenantId, draftId, sessionId });
    if (draft === undefined) throw coreErrors.NOT_FOUND({ entity: 'Draft' });
    return { ...none, state: 'expired', failure: 'QUOTE_EXPIRED', nextPollMs: null };
  }
  const found =
    row.reservationId === null
      ? await booking.ask(bookingOfDraft, { tenantId, bookingDraftId: draftId })
      : await booking.ask(siteBookingOf, { tenantId, reservationId: row.reservationId });
  if (found !== null) return outcomeOf(draftId, found, await paymentOf(booking, who, { found, returned }));
  if (row.state === 'failed') {
    const code = await tenantRead(who.db, who, ({ tx }) => failureOnRecord(tx, draftId));
    const failure = outcomeFailures.find(one => one === code) ?? 'UPSTREAM_ERROR';
    return { ...none, state: 'failed', failure, nextPollMs: null };
  }
  return { ...none, state: 'confirming', failure: null, nextPollMs: 700 };
}

/** The payment of a booking, if it has one yet. When the guest says he is back, the provider is asked (R24). */
export async function paymentOf(
  { ask }: Booking,
  { tenantId }: Pick<Asking, 'tenantId'>,
  { found, returned }: { found: SiteBooking; returned: boolean },
): Promise<CheckoutFacts | null> {
  const { reservationId, status, dueNow, total } = found;
  if (status !== 'held' || dueNow.amount === '0') return null;
  const purpose = dueNow.amount === total.gross.amount ? 'booking' : 'deposit';
  const checkout = await ask(checkoutOf, { tenantId, reservationId, purpose });
  if (checkout === null || !returned) return checkout;
  return ask(settleReturn, { tenantId, paymentId: checkout.paymentId });
}
