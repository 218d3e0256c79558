import { coreErrors } from '@ghasi/domain-primitives/errors';
import type { Id, TenantId } from '@ghasi/domain-primitives/ids';
import { availability as freeRooms } from '@melmastoon/inventory-service/contract/questions';
import { makeQuote, type Refusal } from '@melmastoon/pricing-service/contract/questions';
import type { NewDraft } from '../contract/booking-api.ts';
import type { Draft } from '../contract/booking-draft.ts';
import { saveDraft } from '../drafts.ts';
import { errors } from '../errors.ts';
import { draftExpiry, partiesOf, refusalOf } from '../model.ts';
import { factsOfQuote, pricedView } from '../pricing-view.ts';
import type { Booking } from '../runtime.ts';
import { type Session, saveSession } from '../session.ts';
import { houseOf } from '../site.ts';

type Making = {
  draftId: Id<'bdr'>;
  tenantId: TenantId;
  session: Session;
  handoffId?: Id<'bha'>;
  now: Date;
};

/**
 * A draft at a price that pricing froze for it. Nothing of the price comes from the caller, and nothing is held: rooms
 * are held when he confirms.
 */
export async function createDraft(booking: Booking, wanted: NewDraft, making: Making): Promise<Draft> {
  const { draftId, tenantId, session, handoffId = null, now } = making;
  const { propertyId, arrival, departure, adults, children, rooms, roomTypeId, ratePlanId } = wanted;
  const locale = wanted.locale ?? session.localePreference;
  const { site, house } = await houseOf(booking, tenantId, { propertyId, locale });
  const roomType = house.roomTypes.find(one => one.roomTypeId === roomTypeId);
  const plan = house.plans.find(one => one.ratePlanId === ratePlanId);
  if (roomType === undefined) throw coreErrors.NOT_FOUND({ entity: 'Room type' });
  if (plan === undefined) throw coreErrors.NOT_FOUND({ entity: 'Rate plan' });
  const stay = { arrival, departure };
  const parties = partiesOf(wanted).map(party => ({ roomTypeId, ratePlanId, ...party }));
  const outcome = await booking.ask(makeQuote, {
    ...{ tenantId, propertyId, stay, rooms: parties, bookingDraftId: draftId },
  });
  if (outcome.kind === 'refused') throw restriction(outcome.refusals);
  const { roomTypes } = await booking.ask(freeRooms, { tenantId, propertyId, stay, roomTypeId });
  if ((roomTypes[0]?.sellable ?? 0) < rooms) throw errors.ROOMS_GONE();
  const { quote } = outcome;
  const draft: Draft = {
    schemaVersion: 1,
    ...{ draftId, tenantId, sessionId: session.sessionId, quoteId: quote.quoteId, handoffId, state: 'open' },
    ...{ propertyId, stay, adults, children, rooms, roomTypeId, ratePlanId },
    ...{ roomTypeName: roomType.name, planName: plan.name, propertyName: house.name },
    ...pricedView(factsOfQuote(quote), { house, locale: site.locale, holdMs: booking.holdMs, now }),
    ...{ locale: site.locale, deviceClass: session.deviceClass, attribution: session.marketingAttribution },
    createdAt: now.toISOString(),
    expiresAt: draftExpiry(now, quote.expiresAt, await booking.flags()).toISOString(),
    reservationId: null,
  };
  await saveDraft(booking.state(), draft, now);
  await saveSession(booking.state(), { ...session, activeBookingDraftId: draftId }, now);
  return draft;
}

/** Why a stay is not sold: each reason is an issue with its code; `message` is the figure, `path` the date it is about. */
export function restriction(refusals: readonly Pick<Refusal, 'reason' | 'date' | 'limit'>[]) {
  const reasons = [...new Set(refusals.map(({ reason }) => refusalOf(reason)))];
  const issues = refusals.map(({ reason, date, limit }) => ({
    path: date ?? 'stay',
    code: refusalOf(reason),
    message: limit === null ? '' : String(limit),
  }));
  return errors.RESTRICTION({ reasons: reasons.join(', '), issues });
}
