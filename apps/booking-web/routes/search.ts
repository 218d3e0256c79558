import { shiftDays } from '../client/calendar.ts';
import { newFormKey } from '../forms.ts';
import { homePage } from '../pages/home.ts';
import { roomsPage } from '../pages/rooms.ts';
import { offlinePage, troubleOf, troublePage } from '../pages/trouble.ts';
import { availabilityPath, dateField, nightsOf, propertyIn, searchOf, todayAt } from '../search.ts';
import type { PageRequest, PageRoute } from '../serve-page.ts';
import type { Availability, CalendarDays } from '../views.ts';
import type { Reply, Visit } from '../visit.ts';

/** From the front page to the rooms. */
export const searchRoutes: readonly PageRoute[] = [
  { method: 'GET', path: '', handle: home },
  { method: 'GET', path: '/rooms', handle: rooms },
  { method: 'GET', path: '/live-price', handle: livePrice },
  { method: 'GET', path: '/calendar', handle: calendar },
  { method: 'GET', path: '/offline', handle: async visit => offlinePage(visit) },
];

async function home(visit: Visit, { query, now }: PageRequest): Promise<Reply> {
  const { search } = searchOf(query, visit.hotel, now);
  return homePage(visit, {
    search,
    wrong: [],
    today: todayAt(propertyIn(visit.hotel, search.propertyId), now),
    draftId: visit.hotel.session.activeDraftId,
  });
}

async function rooms(visit: Visit, { query, now }: PageRequest): Promise<Reply> {
  const { search, wrong } = searchOf(query, visit.hotel, now);
  const today = todayAt(propertyIn(visit.hotel, search.propertyId), now);
  if (wrong.length > 0) return homePage(visit, { search, wrong, today, draftId: null });
  const found = await visit.ask<Availability>({ method: 'GET', path: availabilityPath(search, visit.hotel) });
  if (!found.ok) {
    return troublePage(visit, troubleOf(found), [{ href: visit.base, key: 'trouble.search_again' }]);
  }
  return roomsPage(visit, { search, found: found.body, formKey: newFormKey(), today });
}

/** The cheapest way to sleep here on these nights, as a sentence. */
async function livePrice(visit: Visit, { query, now }: PageRequest): Promise<Reply> {
  const { speech, hotel } = visit;
  const { search, wrong } = searchOf(query, hotel, now);
  const [first] = wrong;
  if (first !== undefined) return { json: { text: speech.say(first) } };
  const found = await visit.ask<Availability>({ method: 'GET', path: availabilityPath(search, hotel) });
  if (!found.ok) return { json: { text: '' } };
  const [cheapest] = found.body.offers;
  if (cheapest === undefined) return { json: { text: speech.say('search.live_none') } };
  const nights = speech.count('nights', nightsOf(search));
  return { json: { text: speech.say('search.live', { total: speech.money(cheapest.total.gross), nights }) } };
}

/** Days with their cheapest price as text, for the date grid. */
async function calendar(visit: Visit, { query, now }: PageRequest): Promise<Reply> {
  const property = propertyIn(visit.hotel, query.get('hotel'));
  const from = dateField(query, 'from') ?? todayAt(property, now);
  const to = dateField(query, 'to') ?? shiftDays(from, 31);
  const asked = new URLSearchParams({ propertyId: property.propertyId, from, to });
  const found = await visit.ask<CalendarDays>({ method: 'GET', path: `/calendar?${asked}` });
  if (!found.ok) return { json: { days: [] } };
  return {
    json: {
      days: found.body.days.map(({ date, state, from: price }) => ({
        date,
        state,
        text: price === null ? '' : visit.speech.figure(price),
      })),
    },
  };
}
