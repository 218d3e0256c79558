import { roomKindOf } from '../art/scenes.ts';
import { type Html, html } from '../html.ts';
import type { TextKey } from '../messages/text-keys.ts';
import { pageModules } from '../route-scripts.ts';
import { propertyIn, type Search } from '../search.ts';
import type { Hotel, Property, RoomType } from '../views.ts';
import type { Page, Visit } from '../visit.ts';
import { dateFields, select } from './date-fields.ts';
import { blocks, drawing, icon, troubles } from './parts.ts';

/** The front of the house: what it looks like, and where to search. */
export function homePage(
  visit: Visit,
  {
    search,
    wrong,
    today,
    draftId,
  }: { search: Search; wrong: readonly TextKey[]; today: string; draftId: string | null },
): Page {
  const { speech, hotel } = visit;
  const property = propertyIn(hotel, search.propertyId);
  const why = ['home.why_price', 'home.why_pay', 'home.why_code'] as const;
  return {
    title: speech.say('search.title'),
    status: wrong.length === 0 ? 200 : 422,
    scripts: pageModules.search,
    step: 1,
    main: html`<section class="hero">
<picture><source media="(min-width: 48em)" srcset="${drawing(hotel, 'hero-wide')}" width="1800" height="900"><img class="hero-art" src="${drawing(hotel, 'hero-tall')}" alt="" width="900" height="1100" fetchpriority="high"></picture>
<div class="hero-words wide"><p class="hero-place">${property.city}</p><h1>${property.name}</h1>${blocks(hotel, 'home', 'hero-line')}</div>
</section>
<div class="wide search-over">
${draftId !== null && html`<p class="notice">${speech.say('site.continue_draft')} <a href="${visit.base}/book/${draftId}">${speech.say('site.continue_link')}</a></p>`}
${searchForm(visit, { search, wrong, today })}
</div>
<section class="wide why" aria-labelledby="why"><h2 id="why">${speech.say('home.why_title')}</h2><ul>${why.map(key => html`<li>${icon('check')}<span>${speech.say(key)}</span></li>`)}</ul></section>
${hotel.properties.map(each => houseSection(visit, each))}`,
  };
}

/** The search form; it works as it stands, and the calendar is put over it. */
export function searchForm(
  visit: Visit,
  { search, wrong, today }: { search: Search; wrong: readonly TextKey[]; today: string },
): Html {
  const { speech, hotel, base } = visit;
  const counts = (from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (_, at) => [from + at, speech.number(from + at)] as const);
  return html`<form class="search card" method="get" action="${base}/rooms" data-live-price="${base}/live-price">
<h2>${speech.say('search.title')}</h2>
${troubles(
  speech,
  'search.error_title',
  wrong.map(key => ({ text: speech.say(key), field: key === 'search.error_adults' ? 'adults' : 'arrival' })),
)}
<div class="search-fields">
${houseChoice(hotel, search.propertyId, speech.say('search.hotel'))}
${dateFields({ speech, arrival: search.arrival, departure: search.departure, today, weekendDays: hotel.weekendDays, calendarUrl: `${base}/calendar`, currency: propertyIn(hotel, search.propertyId).currency })}
<div class="party">
${select({ id: 'adults', name: 'adults', label: speech.say('search.adults'), options: counts(1, 12), chosen: search.adults })}
${select({ id: 'children', name: 'children', label: speech.say('search.children'), options: counts(0, 8), chosen: search.children })}
${select({ id: 'rooms', name: 'rooms', label: speech.say('search.rooms'), options: counts(1, 6), chosen: search.rooms })}
</div>
<button class="primary" type="submit">${speech.say('search.submit')}</button>
</div>
<p class="live" role="status" data-live></p>
</form>`;
}

function houseChoice({ properties }: Hotel, chosen: string, label: string): Html {
  if (properties.length === 1) return html`<input type="hidden" name="hotel" value="${chosen}">`;
  const others = properties.filter(each => each.propertyId !== chosen);
  const first = properties.find(each => each.propertyId === chosen);
  const ordered = first === undefined ? properties : [first, ...others];
  return html`<div class="field"><label for="hotel">${label}</label><select id="hotel" name="hotel">${ordered.map(
    ({ propertyId, name, city }) => html`<option value="${propertyId}">${name}, ${city}</option>`,
  )}</select></div>`;
}

function houseSection({ speech, hotel }: Visit, property: Property): Html {
  return html`<section class="wide house"><h2>${speech.say('home.rooms')}</h2>
<ul class="room-cards">${property.roomTypes.map(type => roomCard(hotel, type, speech.count('guests', type.maxGuests)))}</ul>
<h2>${speech.say('home.house')}</h2>
<div class="gallery"><img src="${drawing(hotel, 'courtyard')}" alt="" width="900" height="600" loading="lazy"><img src="${drawing(hotel, 'tea')}" alt="" width="900" height="600" loading="lazy"></div>
<ul class="amenities">${property.amenities.map(({ name }) => html`<li>${icon('check')}<span>${name}</span></li>`)}</ul>
</section>`;
}

function roomCard(hotel: Hotel, type: RoomType, guests: string): Html {
  return html`<li class="card room-card"><img src="${drawing(hotel, `room-${roomKindOf(type.beds)}`)}" alt="" width="900" height="600" loading="lazy"><div class="card-words"><h3>${type.name}</h3>${type.description !== null && html`<p>${type.description}</p>`}<p class="small">${icon('people')} ${guests}</p></div></li>`;
}
