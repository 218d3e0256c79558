import { html } from '../html.ts';
import { pageModules } from '../route-scripts.ts';
import { nightsOf, propertyIn } from '../search.ts';
import type { Arrival } from '../views.ts';
import type { Page, Visit } from '../visit.ts';
import { banner, partyText, twoDates } from './parts.ts';

/** Where a guest from the consumer site arrives: the stay he brings, and one button. Script presses it for him. */
export function arrivalPage(visit: Visit, arrival: Arrival): Page {
  const { speech, hotel, base } = visit;
  const { propertyId, stay, adults, children, rooms, ticket } = arrival;
  const house = propertyIn(hotel, propertyId);
  const sent = { ticket, hotel: propertyId, ...stay, adults, children, rooms };
  return {
    title: speech.say('arrive.title'),
    scripts: pageModules.arrival,
    step: 2,
    main: html`<div class="narrow page"><div class="card words center">${banner(hotel, 'courtyard')}<h1>${speech.say('arrive.title')}</h1>
<p class="strong">${speech.list(house.name, house.city)}</p>
<p>${twoDates(speech, stay.arrival)} <span aria-hidden="true" class="to">→</span> ${twoDates(speech, stay.departure)}</p>
<p>${speech.list(speech.count('nights', nightsOf(stay)), partyText(speech, arrival))}</p>
<form method="post" action="${base}/arrive/room" data-arrive>${Object.entries(sent).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}<p class="actions"><button class="primary" type="submit">${speech.say('arrive.submit')}</button></p></form></div></div>`,
  };
}
