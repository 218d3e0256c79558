import { newId } from '@ghasi/domain-primitives/ids';
import { parseLocalDate } from '@ghasi/domain-primitives/local-date';
import { instantAt, parseZone } from '@ghasi/domain-primitives/zone';
import { sameSum } from '@melmastoon/catalog/same-sum';
import type { LeavingTerms, QuoteView } from '@melmastoon/pricing-service/contract/questions';
import type { PropertyFacts } from '@melmastoon/property-service/contract';
import type { z } from 'zod';
import type { NewReservation } from './commands.ts';
import type { newReservation } from './contract/resources.ts';
import { errors } from './errors.ts';
import type { Reservation } from './model.ts';

/** A booking at the price that was promised: every night as it was frozen (R21). */
export function fromQuote(
  asked: z.output<typeof newReservation>,
  quote: QuoteView | null,
  { house, noShow: missed, now }: { house: PropertyFacts; noShow: LeavingTerms; now: Date },
): NewReservation {
  if (quote === null || quote.status !== 'open' || Date.parse(quote.expiresAt) <= now.getTime())
    throw errors.QUOTE_GONE();
  const terms = quote.rails.find(({ rail }) => rail === asked.rail);
  if (terms === undefined) throw errors.RAIL_NOT_OFFERED({ rail: asked.rail });
  const { cancellation, noShow, deposit } = quote.policies;
  return {
    propertyId: quote.propertyId,
    channel: asked.channel,
    bookingDraftId: quote.bookingDraftId,
    quoteId: quote.quoteId,
    rail: asked.rail,
    guest: asked.guest,
    stay: quote.stay,
    rooms: quote.rooms.map(({ roomTypeId, ratePlanId, stay, adults, children, nights }) => ({
      bookedRoomId: newId('brm'),
      ...{ roomTypeId, ratePlanId, stay, adults, children, roomId: null },
      nights: nights.map(({ date, price, charges }) => ({ date, price, ...taxesIn(charges, price.tax) })),
    })),
    total: quote.total as NewReservation['total'],
    policies: {
      cancellationPolicyId: cancellation.policyId,
      noShowPolicyId: noShow.policyId,
      depositPolicyId: deposit?.policyId ?? null,
    },
    keyWindow: keyWindow(quote.stay, house),
    dueNow: terms.dueNow as NewReservation['dueNow'],
    noShowFee: missed.fee as NewReservation['noShowFee'],
    noShowKeptUntil: missed.keptUntil,
  };
}

type QuotedNight = QuoteView['rooms'][number]['nights'][number];

/** The parts of a night's tax; nothing where they do not make it, since a price is what was promised (R21). */
function taxesIn(charges: QuotedNight['charges'], tax: QuotedNight['price']['tax']) {
  const taxes = charges.filter(({ kind }) => kind === 'tax').map(({ code, amount }) => ({ code, amount }));
  const amounts = taxes.map(({ amount }) => amount);
  return sameSum(amounts, [tax]) ? { taxes } : {};
}

/** From check-in on the day of arrival to check-out on the day of departure, by the property's clock. */
export function keyWindow(stay: Reservation['stay'], house: PropertyFacts): Reservation['keyWindow'] {
  const zone = parseZone(house.zone);
  const at = (date: string, time: string) => instantAt(zone, parseLocalDate(date), time).toISOString();
  return {
    validFrom: at(stay.arrival, house.checkInFrom),
    validUntil: at(stay.departure, house.checkOutUntil),
  };
}
