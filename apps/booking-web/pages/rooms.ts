import { roomKindOf } from '../art/scenes.ts';
import { shiftDays } from '../client/calendar.ts';
import { type Html, html } from '../html.ts';
import { nightsOf, propertyIn, type Search, searchQuery } from '../search.ts';
import type { Speech } from '../speech.ts';
import type { Availability, Offer, Refusal, RoomType } from '../views.ts';
import type { Page, Visit } from '../visit.ts';
import { breakdown, drawing, icon, partyText, twoDates } from './parts.ts';

/** What can be had for a stay: total and per night, taxes and fees, and in words what cannot. */
export function roomsPage(
  visit: Visit,
  { search, found, formKey, today }: { search: Search; found: Availability; formKey: string; today: string },
): Page {
  const { speech, hotel, base } = visit;
  const property = propertyIn(hotel, search.propertyId);
  const sold = property.roomTypes
    .map(type => ({ type, offers: found.offers.filter(offer => offer.roomTypeId === type.roomTypeId) }))
    .filter(({ offers }) => offers.length > 0)
    // The BFF sends the cheapest first; rooms follow their cheapest offer.
    .toSorted(
      (left, right) =>
        found.offers.indexOf(left.offers[0] as Offer) - found.offers.indexOf(right.offers[0] as Offer),
    );
  const unsold = property.roomTypes.filter(type => !sold.some(each => each.type === type));
  const title = sold.length === 0 ? 'rooms.none_title' : 'rooms.title';
  return {
    title: speech.say(title),
    step: 2,
    main: html`<div class="wide page">
<h1>${speech.say(title)}</h1>
<div class="chosen card"><p class="chosen-dates">${twoDates(speech, search.arrival)} <span class="to" aria-hidden="true">→</span> ${twoDates(speech, search.departure)}</p><p>${speech.list(speech.count('nights', nightsOf(search)), partyText(speech, search))}</p><a class="button" href="${base}?${searchQuery(search)}#arrival">${speech.say('rooms.change')}</a></div>
${sold.length === 0 && nothingFree(visit, search, today)}
${sold.length > 0 && html`<p class="small">${speech.say('rooms.included')}</p>`}
<ul class="offers">${sold.map(({ type, offers }) => soldRoom(visit, { type, offers, search, formKey }))}</ul>
${unsold.length > 0 && html`<section class="unsold"><h2>${speech.say('rooms.refused_title')}</h2><ul>${unsold.map(type => unsoldRoom(visit, type, found))}</ul></section>`}
</div>`,
  };
}

function nothingFree({ speech, base }: Visit, search: Search, today: string): Html {
  const moved = (days: number) =>
    `${base}/rooms?${searchQuery({ ...search, arrival: shiftDays(search.arrival, days), departure: shiftDays(search.departure, days) })}`;
  return html`<div class="card words"><p>${speech.say('rooms.none_text')}</p><p class="actions">${search.arrival > today && html`<a class="button" href="${moved(-1)}">${speech.say('rooms.none_earlier')}</a>`}<a class="button" href="${moved(1)}">${speech.say('rooms.none_later')}</a></p></div>`;
}

type Sold = { type: RoomType; offers: readonly Offer[]; search: Search; formKey: string };

function soldRoom(visit: Visit, { type, offers, search, formKey }: Sold): Html {
  const { speech, hotel } = visit;
  const [first] = offers;
  const left =
    first !== undefined && !first.many && first.free <= 3
      ? speech.count('rooms.left', first.free)
      : undefined;
  return html`<li class="offer card"><img src="${drawing(hotel, `room-${roomKindOf(type.beds)}`)}" alt="" width="900" height="600" loading="lazy"><div class="offer-words">
<h2>${type.name}</h2>
${left !== undefined && html`<p class="last">${icon('clock')}${left}</p>`}
${type.description !== null && html`<p>${type.description}</p>`}
<ul class="facts"><li>${icon('people')}${speech.count('guests', type.maxGuests)}</li>${type.areaSquareMetres !== null && html`<li>${icon('area')}${speech.say('rooms.area', { n: type.areaSquareMetres })}</li>`}${type.amenities.slice(0, 6).map(({ name }) => html`<li>${icon('check')}${name}</li>`)}</ul>
</div>
<ul class="plans" aria-label="${speech.say('rooms.tickets')}">${offers.map((offer, at) => plan(visit, { type, offer, search, formKey, id: `${type.roomTypeId}-${at}` }))}</ul></li>`;
}

type Plan = { type: RoomType; offer: Offer; search: Search; formKey: string; id: string };

function plan({ speech, base }: Visit, { type, offer, search, formKey, id }: Plan): Html {
  const hidden = { ...search, roomTypeId: offer.roomTypeId, ratePlanId: offer.ratePlanId, key: formKey };
  return html`<li class="plan"><div class="plan-words"><h3 id="${id}">${offer.planName}</h3>
<ul class="facts"><li>${icon('meal')}${speech.say(`board.${offer.board}`)}</li><li>${icon('clock')}${cancelWords(speech, offer)}</li></ul>
<details><summary>${speech.say('rooms.breakdown')}</summary>${breakdown(speech, offer)}</details></div>
<div class="plan-price"><p class="price">${speech.money(offer.total.gross)}</p><p class="small">${speech.say('rooms.for_stay', { nights: speech.count('nights', offer.nights.length) })}</p><p class="small">${speech.say('rooms.per_night', { amount: speech.money(offer.perNight) })}</p>${offer.total.tax.amount !== '0' && html`<p class="small">${speech.say('rooms.taxes', { amount: speech.money(offer.total.tax) })}</p>`}
<form method="post" action="${base}/drafts">${Object.entries(hidden).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}<button class="primary" type="submit" aria-describedby="${id}">${speech.say('rooms.choose', { room: type.name })}</button></form></div></li>`;
}

function cancelWords(speech: Speech, offer: Offer): string {
  if (offer.freeUntil !== null) {
    return speech.say('rooms.free_until', { deadline: speech.deadline(offer.freeUntil, offer.zone) });
  }
  const fee = offer.cancellation[0]?.fee;
  if (!offer.refundable || fee === undefined) return speech.say('rooms.not_refundable');
  return speech.say('rooms.fee_applies', { fee: speech.money(fee) });
}

function unsoldRoom({ speech }: Visit, type: RoomType, found: Availability): Html {
  const reasons = found.refused
    .filter(each => each.roomTypeId === type.roomTypeId)
    .flatMap(each => each.reasons.map(reason => reasonWords(speech, reason)));
  const said = [...new Set(reasons.length === 0 ? [speech.say('reason.not_on_sale')] : reasons)];
  return html`<li><strong>${type.name}</strong><ul>${said.map(text => html`<li>${text}</li>`)}</ul></li>`;
}

/** A restriction in words, with the figures that matter. */
export function reasonWords(speech: Speech, { reason, date, limit }: Refusal): string {
  const nights = speech.count('nights', limit ?? 1);
  const day = date === null ? undefined : speech.date(date);
  switch (reason) {
    case 'sold_out':
    case 'closed':
      return day === undefined
        ? speech.say(`reason.${reason}`)
        : speech.say(`reason.${reason}_on`, { date: day });
    case 'min_stay':
    case 'max_stay':
    case 'stay_too_long':
      return speech.say(`reason.${reason}`, { nights });
    case 'closed_to_arrival':
    case 'closed_to_departure':
      return speech.say(`reason.${reason}`, { date: day ?? '' });
    case 'too_many_guests':
      return speech.say('reason.too_many_guests', { n: limit ?? 1 });
    default:
      return speech.say(`reason.${reason}`);
  }
}
