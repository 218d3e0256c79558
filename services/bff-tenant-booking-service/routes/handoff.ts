import { tenantTransaction } from '@ghasi/db/tenant-transaction';
import { coreErrors } from '@ghasi/domain-primitives/errors';
import { idToUuid } from '@ghasi/domain-primitives/ids';
import { type AnyRoute, defineRoute, guest } from '@ghasi/http/route';
import { createDraft } from '../commands/create-draft.ts';
import { draftView } from '../contract/booking-api.ts';
import { handoffBody } from '../contract/manage-api.ts';
import { errors } from '../errors.ts';
import { sessionIdOf } from '../guest.ts';
import { fingerprintOf, readHandoff } from '../handoff.ts';
import { viewDraft } from '../model.ts';
import { consumeArrival, isConsumed, noteArrival } from '../queries/handoffs.ts';
import type { Booking } from '../runtime.ts';
import { loadSession } from '../session.ts';

/** TB-57: a guest arrives from the consumer site with what he chose there. */
export function handoffRoutes(booking: Booking): readonly AnyRoute[] {
  return [
    defineRoute({
      method: 'POST',
      path: '/api/v1/booking/handoff',
      summary:
        'Take over a stay chosen on the consumer site; signed, for this hotel group, good for one draft',
      auth: guest(),
      transaction: 'late',
      body: handoffBody,
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
        if (!(await booking.flags()).handoff) throw errors.HANDOFF_REFUSED();
        const handoff = readHandoff(body, { keys: booking.handoffKeys, tenantId, now });
        const fingerprint = fingerprintOf(body.signature);
        const of = { tenantId, sessionId: sessionIdOf(ctx.principal) };
        const session = await loadSession(booking, of, { seen: request, now });
        const { audience: _, mintedAt: __, handoffId, consumerSessionId, expiresAt, ...wanted } = handoff;
        const used = await tenantTransaction(db, ctx, async inside => {
          await noteArrival(inside, {
            ...{ id: handoffId, consumerSessionId, propertyId: idToUuid(wanted.propertyId) },
            ...{ expiresAt: new Date(expiresAt), payload: { ...handoff }, signingKeyId: body.keyId },
            hmacSignatureFingerprint: fingerprint,
            remoteIpHash: booking.hash('ip', request.address),
            userAgentClass: session.deviceClass,
          });
          return isConsumed(inside, fingerprint);
        });
        if (used) throw errors.HANDOFF_USED();
        const draftId = ctx.newId('bdr');
        const draft = await createDraft(booking, wanted, { draftId, tenantId, session, handoffId, now });
        return ctx.commit(async inside => {
          if (!(await consumeArrival(inside, { fingerprint, draftId }))) throw errors.HANDOFF_USED();
          return { status: 201, body: viewDraft(draft, now) };
        });
      },
    }),
  ];
}
