import { tenantRead, tenantTransaction } from '@ghasi/db/tenant-transaction';
import { coreErrors } from '@ghasi/domain-primitives/errors';
import { idToUuid, parseId } from '@ghasi/domain-primitives/ids';
import { type AnyRoute, defineRoute, guest } from '@ghasi/http/route';
import { TICKET_PATH } from '../arrival-ticket.ts';
import { createDraft } from '../commands/create-draft.ts';
import { draftView } from '../contract/booking-api.ts';
import { arrivalView, handoffBody, handoffPayload, ticketBody } from '../contract/manage-api.ts';
import { findOwnDraft } from '../drafts.ts';
import { errors } from '../errors.ts';
import { sessionIdOf } from '../guest.ts';
import { fingerprintOf, readHandoff } from '../handoff.ts';
import { viewDraft } from '../model.ts';
import { consumeArrival, findArrival, noteArrival } from '../queries/handoffs.ts';
import type { Booking } from '../runtime.ts';
import { deviceClassOf, loadSession } from '../session.ts';

/** TB-57: a guest arrives from the consumer site with what he chose there, and goes on with a draft of it. */
export function handoffRoutes(booking: Booking): readonly AnyRoute[] {
  const arrive = defineRoute({
    method: 'POST',
    path: '/api/v1/booking/handoff',
    summary:
      'Arrive from the consumer site with a signed stay; gives a ticket for it that is good for a minute',
    auth: guest(),
    transaction: 'none',
    idempotency: { none: 'a signature is noted once, and every ticket for it leads to the same one draft' },
    body: handoffBody,
    returns: { 200: arrivalView },
    errors: [errors.HANDOFF_REFUSED, errors.HANDOFF_EXPIRED],
    // Whoever comes from elsewhere has a new session each time; one address may be a whole town.
    rateLimit: { limit: 120, windowMs: 60_000, per: 'address' },
    async handler(ctx, { body }, request) {
      const { tenantId, now, db } = ctx;
      if (!(await booking.flags()).handoff) throw errors.HANDOFF_REFUSED();
      const handoff = readHandoff(body, { keys: booking.handoffKeys, tenantId, now });
      const fingerprint = fingerprintOf(body.signature);
      const { handoffId, consumerSessionId, propertyId, arrival, departure, adults, children, rooms } =
        handoff;
      const handoffEnds = new Date(handoff.expiresAt);
      await tenantTransaction(db, ctx, inside =>
        noteArrival(inside, {
          ...{ id: handoffId, consumerSessionId, propertyId: idToUuid(propertyId) },
          ...{ expiresAt: handoffEnds, payload: { ...handoff }, signingKeyId: body.keyId },
          hmacSignatureFingerprint: fingerprint,
          remoteIpHash: booking.hash('ip', request.address),
          userAgentClass: deviceClassOf(request.headers['user-agent'] ?? ''),
        }),
      );
      const { ticket, expiresAt } = booking.tickets.issue(tenantId, fingerprint, { now, handoffEnds });
      const stay = { arrival, departure };
      const shown = { propertyId, stay, adults, children, rooms };
      return { status: 200, body: { ticket, expiresAt: expiresAt.toISOString(), ...shown } };
    },
  });

  const take = defineRoute({
    method: 'POST',
    path: TICKET_PATH,
    summary: 'Make a draft of the stay that a ticket stands for; once, and again only for who has that draft',
    auth: guest(),
    transaction: 'late',
    body: ticketBody,
    returns: { 201: draftView },
    errors: [
      coreErrors.NOT_FOUND,
      errors.HANDOFF_REFUSED,
      errors.HANDOFF_EXPIRED,
      errors.HANDOFF_USED,
      errors.RESTRICTION,
      errors.ROOMS_GONE,
    ],
    rateLimit: { limit: 30, windowMs: 60_000, per: 'principal' },
    async handler(ctx, { body }, request) {
      const { tenantId, now, db } = ctx;
      const fingerprint = booking.tickets.read(tenantId, body.ticket, now);
      const arrival = await tenantRead(db, ctx, inside => findArrival(inside, fingerprint));
      if (arrival === undefined) throw errors.HANDOFF_REFUSED();
      const of = { tenantId, sessionId: sessionIdOf(ctx.principal) };
      if (arrival.consumed) {
        const draftId = parseId('bdr', arrival.bookingDraftId);
        const own = await findOwnDraft(booking.state(), { ...of, draftId });
        if (own === undefined) throw errors.HANDOFF_USED();
        return ctx.commit(async () => ({ status: 201, body: viewDraft(own, now) }));
      }
      const session = await loadSession(booking, of, { seen: request, now });
      const {
        handoffId,
        audience: _,
        mintedAt: __,
        expiresAt: ___,
        ...wanted
      } = handoffPayload.parse(arrival.payload);
      const draftId = ctx.newId('bdr');
      const draft = await createDraft(booking, wanted, { draftId, tenantId, session, handoffId, now });
      return ctx.commit(async inside => {
        if (!(await consumeArrival(inside, { fingerprint, draftId }))) throw errors.HANDOFF_USED();
        return { status: 201, body: viewDraft(draft, now) };
      });
    },
  });

  return [arrive, take];
}
