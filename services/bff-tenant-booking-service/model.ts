import { minutes } from '@ghasi/domain-primitives/duration';
import type { SiteBooking } from '@melmastoon/reservation-service/contract/site-questions';
import { type DraftView, draftView, type OutcomeView, type outcomeFailures } from './contract/booking-api.ts';
import type { Draft } from './contract/booking-draft.ts';
import { type OfferRefusal, offerRefusals } from './contract/booking-parts.ts';
import type { draftFailures } from './contract.ts';

/** A draft never lives longer, whatever its quote says (TB-07). */
export const MOST_DRAFT_MS = minutes(30);
/** In a flash sale a price is not kept for those who think it over. */
export const FLASH_DRAFT_MS = minutes(10);
/** After its end the hot store keeps a draft so long, for the sweeper. */
export const DRAFT_GRACE_MS = minutes(5);

/** When a new draft is over: with its quote, and never after the longest time. */
export function draftExpiry(now: Date, quoteExpiresAt: string, { flashSale }: { flashSale: boolean }): Date {
  const most = now.getTime() + (flashSale ? FLASH_DRAFT_MS : MOST_DRAFT_MS);
  return new Date(Math.min(most, Date.parse(quoteExpiresAt)));
}

/** True once nobody can book it any more. */
export function isOver(draft: Pick<Draft, 'expiresAt'>, now: Date): boolean {
  return Date.parse(draft.expiresAt) <= now.getTime();
}

const seenByGuest = Object.keys(draftView.shape) as (keyof DraftView)[];

/** A draft as its guest sees it. */
export function viewDraft(draft: Draft, now: Date): DraftView {
  const seen = Object.fromEntries(seenByGuest.map(key => [key, draft[key]])) as DraftView;
  return seen.state === 'open' && isOver(draft, now) ? { ...seen, state: 'expired' } : seen;
}

/** once held, a draft is not kept longer than its hold. */
export function heldDraft(draft: Draft, booking: Pick<SiteBooking, 'reservationId' | 'expiresAt'>): Draft {
  const holdEnds = booking.expiresAt ?? draft.expiresAt;
  return {
    ...draft,
    state: 'confirming',
    reservationId: booking.reservationId,
    expiresAt: holdEnds < draft.expiresAt ? holdEnds : draft.expiresAt,
  };
}

/** So many guests over so many rooms, as evenly as it goes; the first rooms take what is left. */
export function spread(guests: number, rooms: number): number[] {
  const each = Math.floor(guests / rooms);
  return Array.from({ length: rooms }, (_, room) => each + (room < guests % rooms ? 1 : 0));
}

/** The rooms of a party. */
export function partiesOf(party: { adults: number; children: number; rooms: number }) {
  const children = spread(party.children, party.rooms);
  return spread(party.adults, party.rooms).map((adults, room) => ({ adults, children: children[room] ?? 0 }));
}

/** Pricing's reason in the words the site has; what a guest cannot act on is "not on sale". */
export function refusalOf(reason: string): OfferRefusal {
  return (offerRefusals as readonly string[]).includes(reason) ? (reason as OfferRefusal) : 'not_on_sale';
}

/** What leaving costs from now on: deadlines that have passed are no promise any more. At a deadline it still holds. */
export function stillToCome<T extends { until: string | null }>(cancellation: readonly T[], now: Date): T[] {
  return cancellation.filter(({ until }) => until === null || Date.parse(until) >= now.getTime());
}

type Failure = (typeof outcomeFailures)[number];

/** Why a booking that has ended did; `null` when it has not. */
export function failureOf({ status, endedBecause, isAllocated }: SiteBooking): Failure | null {
  if (status !== 'cancelled' && status !== 'no_show') return null;
  return failureBecause(endedBecause, isAllocated);
}

/** What an end means to whoever was booking; `hadRooms`: the hold had got its rooms before it ended. */
export function failureBecause(reason: string | null, hadRooms: boolean): Failure {
  if (reason === 'payment_failed') return 'PAYMENT_DECLINED';
  if (reason === 'hold_expired') return hadRooms ? 'HOLD_EXPIRED' : 'ROOMS_GONE';
  return 'CANCELLED';
}

/** The same, as the event tells it. */
export function draftFailureOf(failure: Failure): (typeof draftFailures)[number] {
  const told = {
    ROOMS_GONE: 'rooms_gone',
    HOLD_EXPIRED: 'hold_expired',
    PAYMENT_DECLINED: 'payment_failed',
    PAYMENT_UNKNOWN: 'payment_failed',
    QUOTE_EXPIRED: 'quote_expired',
    CANCELLED: 'upstream_error',
    UPSTREAM_ERROR: 'upstream_error',
  } as const;
  return told[failure];
}

type Checkout = { status: string; redirectUrl: string | null } | null;

/** How long a page waits before it asks again. */
const POLL_MS = { confirming: 700, paying: 2_000, unknown: 4_000 } as const;

/** Where a booking is on its way, as its guest sees it. */
export function outcomeOf(draftId: Draft['draftId'], booking: SiteBooking, checkout: Checkout): OutcomeView {
  const { reservationId, code, status, expiresAt } = booking;
  const about = { draftId, reservationId, code, expiresAt, failure: failureOf(booking), redirectUrl: null };
  if (about.failure !== null) {
    const state = about.failure === 'HOLD_EXPIRED' ? 'expired' : 'failed';
    return { ...about, state, nextPollMs: null };
  }
  if (status !== 'draft' && status !== 'held') return { ...about, state: 'confirmed', nextPollMs: null };
  if (checkout?.status === 'unknown')
    return { ...about, state: 'paying', failure: 'PAYMENT_UNKNOWN', nextPollMs: POLL_MS.unknown };
  const redirectUrl = checkout?.status === 'pending' ? checkout.redirectUrl : null;
  if (redirectUrl === null) return { ...about, state: 'confirming', nextPollMs: POLL_MS.confirming };
  return { ...about, state: 'paying', redirectUrl, nextPollMs: POLL_MS.paying };
}
