import { accepted } from '@ghasi/db/accepted';
import type { Database } from '@ghasi/db/database';
import { type Actor, type Ctx, tenantRead, tenantTransaction } from '@ghasi/db/tenant-transaction';
import { coreErrors } from '@ghasi/domain-primitives/errors';
import type { Id, TenantId } from '@ghasi/domain-primitives/ids';
import type { Logger } from '@ghasi/telemetry/logger';
import { availability as freeRooms } from '@melmastoon/inventory-service/contract/questions';
import {
  bookDraft,
  bookingOfDraft,
  type SiteBooking,
} from '@melmastoon/reservation-service/contract/site-questions';
import type { z } from 'zod';
import type { confirmBody } from '../contract/booking-api.ts';
import type { Draft } from '../contract/booking-draft.ts';
import { findOwnDraft, saveDraft } from '../drafts.ts';
import { errors } from '../errors.ts';
import { draftFailureOf, heldDraft, isOver } from '../model.ts';
import {
  claimDraft,
  type DraftBooking,
  endClaim,
  findDraftBooking,
  hasEnded,
  lockDraft,
  releaseClaim,
  updateDraftBooking,
} from '../queries/draft-bookings.ts';
import type { Booking } from '../runtime.ts';
import { endDraft } from './end-draft.ts';

/** Who confirms what. */
export type Confirming = {
  readonly db: Database;
  readonly tenantId: TenantId;
  readonly actor: Actor;
  readonly now: Date;
  readonly log: Logger;
  readonly sessionId: Id<'tnt'>;
  readonly draftId: Id<'bdr'>;
  readonly correlationId: string;
};

type Body = z.output<typeof confirmBody>;

/**
 * TB-60: a draft becomes a booking, once. The claim commits before reservation is asked, and reservation books a draft
 * once too, so that a crash at any point leaves a booking that the next attempt finds, or none.
 */
export async function confirmDraft(booking: Booking, who: Confirming, body: Body): Promise<SiteBooking> {
  const draft = await findOwnDraft(booking.state(), who);
  const known = await tenantRead(who.db, who, ({ tx }) => findDraftBooking(tx, who.draftId));
  const facts = draft ?? (known?.sessionId === who.sessionId ? known.facts : undefined);
  if (facts === undefined) throw coreErrors.NOT_FOUND({ entity: 'Draft' });
  // A claim without its booking: whoever made it is at it, or died after reservation had answered.
  const made = known?.reservationId === null ? await bookedBefore(booking, who) : null;
  if (made === null && (known === undefined || known.reservationId === null))
    await claim(booking, who, { facts, known, body });
  try {
    const outcome = made ?? (await ask(booking, who, { facts, body }));
    if (draft !== undefined) await saveDraft(booking.state(), heldDraft(draft, outcome), who.now);
    return outcome;
  } catch (error) {
    const isOverNow = errors.ROOMS_GONE.is(error) || errors.QUOTE_EXPIRED.is(error);
    if (isOverNow && draft !== undefined)
      await saveDraft(booking.state(), { ...draft, state: 'failed' }, who.now);
    // Whatever else went wrong, the guest may try again at once: reservation books a draft once.
    if (!isOverNow) await tenantTransaction(who.db, who, ctx => endClaim(ctx, who.draftId)).catch(() => {});
    throw error;
  }
}

const bookedBefore = ({ ask: put }: Booking, { tenantId, draftId }: Confirming) =>
  put(bookingOfDraft, { tenantId, bookingDraftId: draftId });

/** What is written with the answer, in the transaction of the request. */
export async function noteBooking(ctx: Ctx, draftId: Id<'bdr'>, booking: SiteBooking): Promise<void> {
  const { reservationId, code, payment } = booking;
  await updateDraftBooking(ctx, draftId, { reservationId, code, rail: payment.rail });
}

type Claiming = { facts: Draft; known: DraftBooking | undefined; body: Body };

async function claim(booking: Booking, who: Confirming, { facts, known, body }: Claiming): Promise<void> {
  const { guest, rail, seenTotal } = body;
  // A claim that ran out is finished whatever the time is: its booking may exist.
  if (known === undefined && isOver(facts, who.now)) throw errors.DRAFT_EXPIRED();
  const { gross } = facts.total;
  if (seenTotal !== undefined && (seenTotal.amount !== gross.amount || seenTotal.currency !== gross.currency))
    throw errors.PRICE_CHANGED({ ...gross });
  if (!facts.payChoices.some(choice => choice.rail === rail)) throw errors.RAIL_NOT_OFFERED({ rail });
  await tenantTransaction(who.db, who, async ctx => {
    await lockDraft(ctx, who.draftId);
    if (await hasEnded(ctx.tx, who.draftId)) throw errors.DRAFT_EXPIRED();
    const other = await findDraftBooking(ctx.tx, who.draftId);
    if (other !== undefined && other.reservationId === null && other.claimedUntil > who.now)
      throw errors.CONFIRM_IN_PROGRESS();
    if (other !== undefined && other.reservationId !== null) return;
    await claimDraft(ctx, {
      facts: { ...facts, state: 'confirming' },
      rail,
      guestEmailHash: guest.email === null ? null : booking.hash('email', guest.email.toLowerCase()),
      guestPhoneHash: booking.hash('phone', guest.phone),
      correlationId: who.correlationId,
    });
  });
}

/** CACHE-24: rooms and price are asked for at their owners, never read from a cache. */
async function ask(
  { ask: put }: Booking,
  who: Confirming,
  { facts, body }: { facts: Draft; body: Body },
): Promise<SiteBooking> {
  const { tenantId, draftId } = who;
  const { guest, rail, locale } = body;
  const { requests, ...person } = guest;
  const { propertyId, stay, roomTypeId, rooms, quoteId } = facts;
  const { roomTypes } = await put(freeRooms, { tenantId, propertyId, stay, roomTypeId });
  const isBooked = await tenantRead(who.db, who, ({ tx }) => findDraftBooking(tx, draftId));
  if ((roomTypes[0]?.sellable ?? 0) < rooms && isBooked?.attempts === 1 && isBooked.reservationId === null) {
    await fail(who, { facts, failure: 'ROOMS_GONE' });
    throw errors.ROOMS_GONE();
  }
  const outcome = await put(bookDraft, {
    ...{ tenantId, bookingDraftId: draftId, quoteId, rail, requests },
    guest: { ...person, locale },
  });
  if (outcome.kind === 'done') return outcome.booking;
  if (outcome.code === 'QUOTE_GONE') {
    await fail(who, { facts, failure: 'QUOTE_EXPIRED' });
    throw errors.QUOTE_EXPIRED();
  }
  await tenantTransaction(who.db, who, ctx => releaseClaim(ctx, draftId));
  if (outcome.code === 'RAIL_NOT_OFFERED') throw errors.RAIL_NOT_OFFERED({ rail });
  throw coreErrors.UNAVAILABLE();
}

/** A guest wanted to book and could not: put on record, and said. */
async function fail(
  who: Confirming,
  { facts, failure }: { facts: Draft; failure: 'ROOMS_GONE' | 'QUOTE_EXPIRED' },
): Promise<void> {
  await tenantTransaction(who.db, who, async ctx => {
    await lockDraft(ctx, who.draftId);
    const row = await findDraftBooking(ctx.tx, who.draftId);
    const events = await endDraft(ctx, {
      draft: facts,
      ...(row === undefined ? {} : { row }),
      as: 'failed',
      lastStep: 'payment',
      failure: draftFailureOf(failure),
      errorCode: `MELMASTOON.BFF_TENANT_BOOKING.${failure}`,
      reservationId: null,
    });
    return accepted(undefined, events);
  });
}
