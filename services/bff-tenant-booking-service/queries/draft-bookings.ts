import { lockEntity } from '@ghasi/db/advisory-lock';
import { and, eq, sql } from '@ghasi/db/drizzle';
import { rows } from '@ghasi/db/sql';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { seconds } from '@ghasi/domain-primitives/duration';
import type { Id, TenantId } from '@ghasi/domain-primitives/ids';
import type { Draft } from '../contract/booking-draft.ts';
import { bookingDraftSnapshots, draftBookings } from '../tables.ts';

type Tx = Ctx['tx'];

/** A draft on its way to a booking. */
export type DraftBooking = {
  readonly draftId: Id<'bdr'>;
  readonly sessionId: Id<'tnt'>;
  readonly reservationId: Id<'rsv'> | null;
  readonly code: string | null;
  readonly state: 'confirming' | 'converted' | 'failed';
  readonly facts: Draft;
  readonly rail: string;
  readonly guestEmailHash: string | null;
  readonly guestPhoneHash: string;
  readonly claimedUntil: Date;
  readonly attempts: number;
};

/** Whoever claims a draft has so long before another attempt may overtake him. */
const CLAIM_MS = seconds(35);

/** From here on this transaction alone decides about the draft: to book it, or to call it abandoned. */
export function lockDraft({ tx, tenantId }: Pick<Ctx, 'tx' | 'tenantId'>, draftId: Id<'bdr'>): Promise<void> {
  return lockEntity(tx, tenantId, { type: 'booking-draft', id: draftId });
}

/** What became of a draft that somebody wanted to book. */
export async function findDraftBooking(tx: Tx, draftId: Id<'bdr'>): Promise<DraftBooking | undefined> {
  const [found] = await tx.select().from(draftBookings).where(eq(draftBookings.draftId, draftId));
  return found as DraftBooking | undefined;
}

/** The draft that a reservation came from. */
export async function findByReservation(tx: Tx, reservationId: Id<'rsv'>): Promise<DraftBooking | undefined> {
  const [found] = await tx.select().from(draftBookings).where(eq(draftBookings.reservationId, reservationId));
  return found as DraftBooking | undefined;
}

/** Whether a session made this booking. */
export async function isBookedBy(
  tx: Tx,
  of: { sessionId: Id<'tnt'>; reservationId: Id<'rsv'> },
): Promise<boolean> {
  const found = await tx
    .select({ id: draftBookings.draftId })
    .from(draftBookings)
    .where(and(eq(draftBookings.reservationId, of.reservationId), eq(draftBookings.sessionId, of.sessionId)));
  return found.length > 0;
}

/** Whether it is on record how a draft ended. */
export async function hasEnded(tx: Tx, draftId: Id<'bdr'>): Promise<boolean> {
  const found = await tx
    .select({ id: bookingDraftSnapshots.id })
    .from(bookingDraftSnapshots)
    .where(eq(bookingDraftSnapshots.draftId, draftId));
  return found.length > 0;
}

/** The code of why a draft failed, as it is on record; undefined when it has not. */
export async function failureOnRecord(tx: Tx, draftId: Id<'bdr'>): Promise<string | undefined> {
  const [found] = await tx
    .select({ trail: bookingDraftSnapshots.errorTrail })
    .from(bookingDraftSnapshots)
    .where(eq(bookingDraftSnapshots.draftId, draftId));
  const [error] = (found?.trail ?? []) as { code: string | null }[];
  return error?.code?.split('.').at(-1);
}

type Claim = Pick<DraftBooking, 'facts' | 'rail' | 'guestEmailHash' | 'guestPhoneHash'> & {
  correlationId: string;
};

/** Writes down that a draft is being booked; the caller holds its lock. A claim that ran out is taken over. */
export async function claimDraft(
  { tx, tenantId, now }: Pick<Ctx, 'tx' | 'tenantId' | 'now'>,
  { facts, ...claim }: Claim,
): Promise<void> {
  const { draftId, sessionId } = facts;
  const claimedUntil = new Date(now.getTime() + CLAIM_MS);
  await tx
    .insert(draftBookings)
    .values({
      ...{ tenantId, draftId, sessionId, facts, ...claim, state: 'confirming', claimedUntil },
      ...{ createdAt: now, updatedAt: now },
    })
    .onConflictDoUpdate({
      target: [draftBookings.tenantId, draftBookings.draftId],
      set: { ...claim, claimedUntil, updatedAt: now, attempts: sql`${draftBookings.attempts} + 1` },
    });
}

/** Lets the next attempt take a claim over at once. */
export async function endClaim({ tx, now }: Pick<Ctx, 'tx' | 'now'>, draftId: Id<'bdr'>): Promise<void> {
  await tx.update(draftBookings).set({ claimedUntil: now }).where(eq(draftBookings.draftId, draftId));
}

/** A claim that led to nothing and may be made again. */
export async function releaseClaim({ tx }: Pick<Ctx, 'tx'>, draftId: Id<'bdr'>): Promise<void> {
  await tx
    .delete(draftBookings)
    .where(and(eq(draftBookings.draftId, draftId), sql`${draftBookings.reservationId} is null`));
}

/** The booking a draft became, or how it ended. */
export async function updateDraftBooking(
  { tx, now }: Pick<Ctx, 'tx' | 'now'>,
  draftId: Id<'bdr'>,
  change: Partial<Pick<DraftBooking, 'reservationId' | 'code' | 'state' | 'rail'>>,
): Promise<void> {
  await tx
    .update(draftBookings)
    .set({ ...change, updatedAt: now })
    .where(eq(draftBookings.draftId, draftId));
}

/** Whose bookings nobody has settled since; across tenants, ids only. */
export function unsettledDrafts(
  tx: Tx,
  before: Date,
  most: number,
): Promise<{ tenantId: TenantId; draftId: Id<'bdr'> }[]> {
  return rows(
    tx,
    sql`select tenant_id as "tenantId", draft_id as "draftId"
        from bff_tenant_booking.unsettled_drafts(${before}, ${most})`,
  );
}
