import type { Ctx } from '@ghasi/db/tenant-transaction';
import { idFromUuid, idToUuid } from '@ghasi/domain-primitives/ids';
import { uuid7 } from '@ghasi/domain-primitives/uuid';
import type { PendingEvent } from '@ghasi/event-envelope/define-event';
import type { Draft } from '../contract/booking-draft.ts';
import {
  BookingDraftAbandoned,
  BookingDraftConverted,
  BookingDraftFailed,
  type draftFailures,
  type funnelSteps,
} from '../contract.ts';
import { type DraftBooking, updateDraftBooking } from '../queries/draft-bookings.ts';
import { bookingDraftSnapshots } from '../tables.ts';

/** How a draft ended, and who had tried to book it. */
export type Ending = {
  readonly draft: Draft;
  readonly row?: DraftBooking;
  readonly lastStep: (typeof funnelSteps)[number];
} & (
  | { readonly as: 'abandoned' }
  | { readonly as: 'converted'; readonly reservationId: DraftBooking['reservationId']; readonly rail: string }
  | {
      readonly as: 'failed';
      readonly failure: (typeof draftFailures)[number];
      readonly errorCode: string | null;
      readonly reservationId: DraftBooking['reservationId'];
    }
);

/** Puts the end of a draft on record and says it, once. The caller holds the draft's lock. */
export async function endDraft(ctx: Ctx, ending: Ending): Promise<readonly PendingEvent[]> {
  const snapshotId = uuid7(ctx.now.getTime());
  const { draft, row, as } = ending;
  const saved = await ctx.tx
    .insert(bookingDraftSnapshots)
    .values({
      ...{ id: snapshotId, tenantId: ctx.tenantId, draftId: draft.draftId, sessionId: draft.sessionId },
      reservationId: 'reservationId' in ending ? ending.reservationId : null,
      propertyId: idToUuid(draft.propertyId),
      roomTypeId: draft.roomTypeId,
      ratePlanId: draft.ratePlanId,
      finalState: as,
      createdAt: new Date(draft.createdAt),
      finalizedAt: ctx.now,
      totalMinor: BigInt(draft.total.gross.amount),
      currency: draft.total.gross.currency,
      guestEmailHash: row?.guestEmailHash ?? null,
      guestPhoneHash: row?.guestPhoneHash ?? null,
      marketing: draft.attribution,
      flowStateHistory: ['open', ...(row === undefined ? [] : ['confirming']), as],
      errorTrail: as === 'failed' ? [{ failure: ending.failure, code: ending.errorCode }] : [],
      paymentMethod: row?.rail ?? null,
      ...{ deviceClass: draft.deviceClass, locale: draft.locale },
      displayCurrency: draft.total.gross.currency,
    })
    .onConflictDoNothing({ target: [bookingDraftSnapshots.tenantId, bookingDraftSnapshots.draftId] });
  if (row !== undefined && as !== 'abandoned')
    await updateDraftBooking(ctx, draft.draftId, { state: as, ...reservationOf(ending) });
  return saved.rowCount === 1 ? [eventOf(ctx, ending, idFromUuid('bds', snapshotId))] : [];
}

function reservationOf(ending: Ending) {
  return 'reservationId' in ending && ending.reservationId !== null
    ? { reservationId: ending.reservationId }
    : {};
}

function eventOf(ctx: Ctx, ending: Ending, snapshotId: ReturnType<typeof idFromUuid<'bds'>>): PendingEvent {
  const { draft, lastStep } = ending;
  const { draftId: bookingDraftId, sessionId, locale, deviceClass, attribution, createdAt } = draft;
  const ended = {
    ...{ bookingDraftId, snapshotId, sessionId, lastStep, locale, deviceClass, attribution, createdAt },
    displayCurrency: draft.total.gross.currency,
    endedAt: ctx.now.toISOString(),
  };
  const { propertyId, stay, roomTypeId, ratePlanId, adults, children, quoteId, total } = draft;
  const choice = { propertyId, stay, roomTypeId, ratePlanId, adults, children, quoteId, total };
  const first = { aggregateVersion: 1 };
  if (ending.as === 'abandoned')
    return BookingDraftAbandoned.from({ ...ended, ...choice }, first) as PendingEvent;
  if (ending.as === 'converted') {
    const { reservationId, rail } = ending;
    const payload = { ...ended, ...choice, reservationId, rail } as never;
    return BookingDraftConverted.from(payload, first) as PendingEvent;
  }
  const { failure, errorCode, reservationId, row } = ending;
  const payload = { ...ended, ...choice, failure, errorCode, reservationId, attempts: row?.attempts ?? 1 };
  return BookingDraftFailed.from(payload, first) as PendingEvent;
}
