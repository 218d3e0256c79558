import type { Ctx } from '@ghasi/db/tenant-transaction';
import type { Id } from '@ghasi/domain-primitives/ids';
import type { PendingEvent } from '@ghasi/event-envelope/define-event';
import { draftFailureOf } from '../model.ts';
import {
  type DraftBooking,
  findByReservation,
  findDraftBooking,
  lockDraft,
} from '../queries/draft-bookings.ts';
import { endDraft } from './end-draft.ts';

type Named = { draftId: Id<'bdr'> } | { reservationId: Id<'rsv'> };

/** The draft, in the hands of this transaction alone; undefined when no booking of ours is meant or all is settled. */
async function lockOpen(ctx: Ctx, named: Named): Promise<DraftBooking | undefined> {
  const found =
    'draftId' in named
      ? await findDraftBooking(ctx.tx, named.draftId)
      : await findByReservation(ctx.tx, named.reservationId);
  if (found === undefined) return undefined;
  await lockDraft(ctx, found.draftId);
  const row = await findDraftBooking(ctx.tx, found.draftId);
  return row?.state === 'confirming' ? row : undefined;
}

/** The booking is confirmed: its draft is converted. */
export async function convert(
  ctx: Ctx,
  { draftId, reservationId, rail }: { draftId: Id<'bdr'>; reservationId: Id<'rsv'>; rail: string },
): Promise<readonly PendingEvent[]> {
  const row = await lockOpen(ctx, { draftId });
  if (row === undefined) return [];
  return endDraft(ctx, {
    ...{ draft: row.facts, row, as: 'converted', lastStep: 'confirming', reservationId, rail },
  });
}

type Failed = {
  named: Named;
  failure: Parameters<typeof draftFailureOf>[0];
  reservationId: Id<'rsv'> | null;
};

/** The booking ended before it was one: its draft has failed. */
export async function failDraft(
  ctx: Ctx,
  { named, failure, reservationId }: Failed,
): Promise<readonly PendingEvent[]> {
  const row = await lockOpen(ctx, named);
  if (row === undefined) return [];
  return endDraft(ctx, {
    ...{ draft: row.facts, row, as: 'failed', lastStep: 'payment', reservationId },
    failure: draftFailureOf(failure),
    errorCode: `MELMASTOON.BFF_TENANT_BOOKING.${failure}`,
  });
}
