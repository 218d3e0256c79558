import { tenantRead } from '@ghasi/db/tenant-transaction';
import { coreErrors } from '@ghasi/domain-primitives/errors';
import { type AnyRoute, type BareCtx, defineRoute, guest } from '@ghasi/http/route';
import { idText } from '@melmastoon/catalog/parts';
import type { SiteBooking } from '@melmastoon/reservation-service/contract/site-questions';
import { z } from 'zod';
import { confirmDraft, noteBooking } from '../commands/confirm-draft.ts';
import { createDraft } from '../commands/create-draft.ts';
import {
  confirmBody,
  confirmedView,
  currentDraftView,
  draftView,
  newDraft,
  outcomeView,
} from '../contract/booking-api.ts';
import type { Draft } from '../contract/booking-draft.ts';
import type { GuestRail } from '../contract/booking-parts.ts';
import { findOwnDraft, saveDraft } from '../drafts.ts';
import { errors } from '../errors.ts';
import { sessionIdOf } from '../guest.ts';
import { outcomeOf, viewDraft } from '../model.ts';
import { paymentOf, readOutcome } from '../outcome.ts';
import { findDraftBooking } from '../queries/draft-bookings.ts';
import type { Booking } from '../runtime.ts';
import { findSession, loadSession, saveSession } from '../session.ts';

const params = z.strictObject({ draftId: idText('bdr') });
const at = '/api/v1/booking/drafts';
const auth = guest();

/** The guest's way from a chosen room to a booking. Drafts live in the hot store, bookings in PostgreSQL. */
export function draftRoutes(booking: Booking): readonly AnyRoute[] {
  const create = defineRoute({
    method: 'POST',
    path: at,
    summary: 'Choose a room: its price is frozen, nothing is held yet',
    auth,
    transaction: 'late',
    body: newDraft,
    returns: { 201: draftView },
    errors: [coreErrors.NOT_FOUND, errors.RESTRICTION, errors.ROOMS_GONE],
    rateLimit: { limit: 60, windowMs: 60_000, per: 'principal' },
    async handler(ctx, { body }, request) {
      const { tenantId, now } = ctx;
      const of = { tenantId, sessionId: sessionIdOf(ctx.principal) };
      const session = await loadSession(booking, of, { seen: request, now });
      const draft = await createDraft(booking, body, { draftId: ctx.newId('bdr'), tenantId, session, now });
      return ctx.commit(async () => ({ status: 201, body: viewDraft(draft, now) }));
    },
  });

  const current = defineRoute({
    method: 'GET',
    path: `${at}/current`,
    summary: 'The draft this session was last at, if there is one to go on with',
    auth,
    transaction: 'none',
    returns: { 200: currentDraftView },
    async handler(ctx) {
      const of = { tenantId: ctx.tenantId, sessionId: sessionIdOf(ctx.principal) };
      const draftId = (await findSession(booking.state(), of))?.activeBookingDraftId ?? null;
      const draft = draftId === null ? undefined : await findOwnDraft(booking.state(), { ...of, draftId });
      if (draft === undefined || (await isDecided(ctx, draft))) return { status: 200, body: { draft: null } };
      return { status: 200, body: { draft: viewDraft(draft, ctx.now) } };
    },
  });

  const show = defineRoute({
    method: 'GET',
    path: `${at}/:draftId`,
    summary: 'A draft of this session',
    auth,
    transaction: 'none',
    params,
    returns: { 200: draftView },
    errors: [coreErrors.NOT_FOUND],
    async handler({ tenantId, principal, now }, input) {
      const of = { tenantId, sessionId: sessionIdOf(principal), ...input.params };
      const draft = await findOwnDraft(booking.state(), of);
      if (draft === undefined) throw coreErrors.NOT_FOUND({ entity: 'Draft' });
      return { status: 200, body: viewDraft(draft, now) };
    },
  });

  const discard = defineRoute({
    method: 'DELETE',
    path: `${at}/:draftId`,
    summary: 'Give a draft up; the sweeper puts it on record',
    auth,
    transaction: 'late',
    params,
    returns: { 204: z.undefined() },
    errors: [coreErrors.NOT_FOUND],
    async handler(ctx, input) {
      const { tenantId, now } = ctx;
      const of = { tenantId, sessionId: sessionIdOf(ctx.principal), ...input.params };
      const draft = await findOwnDraft(booking.state(), of);
      if (draft === undefined) throw coreErrors.NOT_FOUND({ entity: 'Draft' });
      if (draft.state === 'open')
        await saveDraft(booking.state(), { ...draft, expiresAt: now.toISOString() }, now);
      const session = await findSession(booking.state(), of);
      if (session?.activeBookingDraftId === draft.draftId)
        await saveSession(booking.state(), { ...session, activeBookingDraftId: null }, now);
      return ctx.commit(async () => ({ status: 204 }));
    },
  });

  const confirm = defineRoute({
    method: 'POST',
    path: `${at}/:draftId/confirm`,
    summary: 'Book: rooms are held and the payment begins; a draft is booked once, however often it is sent',
    auth,
    transaction: 'late',
    params,
    body: confirmBody,
    returns: { 200: confirmedView },
    errors: [
      coreErrors.NOT_FOUND,
      errors.DRAFT_EXPIRED,
      errors.QUOTE_EXPIRED,
      errors.PRICE_CHANGED,
      errors.ROOMS_GONE,
      errors.RAIL_NOT_OFFERED,
      errors.CONFIRM_IN_PROGRESS,
    ],
    rateLimit: { limit: 30, windowMs: 60_000, per: 'principal' },
    async handler(ctx, { params: { draftId }, body }, { correlationId }) {
      const { db, tenantId, actor, now, log } = ctx;
      const who = { db, tenantId, actor, now, log, draftId, sessionId: sessionIdOf(ctx.principal) };
      const made = await confirmDraft(booking, { ...who, correlationId }, body);
      const payment = await paymentOf(booking, who, { found: made, returned: false });
      return ctx.commit(async inside => {
        await noteBooking(inside, draftId, made);
        return { status: 200, body: viewConfirmed(draftId, made, payment) };
      });
    },
  });

  const outcome = defineRoute({
    method: 'GET',
    path: `${at}/:draftId/outcome`,
    summary:
      'How far the booking of a draft is; `returned` says that the guest is back from the payment page',
    auth,
    transaction: 'none',
    params,
    query: z.strictObject({ returned: z.literal('1').optional() }),
    returns: { 200: outcomeView },
    errors: [coreErrors.NOT_FOUND],
    async handler(ctx, { params: { draftId }, query }) {
      const who = { ...ctx, draftId, sessionId: sessionIdOf(ctx.principal) };
      const body = await readOutcome(booking, who, { returned: query.returned === '1' });
      return { status: 200, body };
    },
  });

  return [create, current, show, discard, confirm, outcome];
}

/** Whether a draft has become a booking, or never will. */
async function isDecided(who: BareCtx<typeof auth>, { draftId, state }: Draft): Promise<boolean> {
  if (state === 'open') return false;
  const row = await tenantRead(who.db, who, ({ tx }) => findDraftBooking(tx, draftId));
  return row !== undefined && row.state !== 'confirming';
}

function viewConfirmed(
  draftId: Parameters<typeof outcomeOf>[0],
  made: SiteBooking,
  payment: Parameters<typeof outcomeOf>[2],
): z.input<typeof confirmedView> {
  const { state, redirectUrl } = outcomeOf(draftId, made, payment);
  const { reservationId, code, dueNow, expiresAt } = made;
  const rail = made.payment.rail as GuestRail;
  const instructions = rail === 'cash_pending' ? ('pay_at_desk' as const) : null;
  return {
    ...{ draftId, reservationId, code, state, expiresAt },
    payment: { rail, dueNow, redirectUrl, instructions },
  };
}
