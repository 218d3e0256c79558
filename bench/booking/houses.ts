import { addDays, parseLocalDate } from '@ghasi/domain-primitives/local-date';
import type { Call, Line } from './http-call.ts';
import { STAYS, stayOf } from './mix.ts';

/** A room on a plan that a stay was offered in. */
export type Offer = { roomTypeId: string; ratePlanId: string };

/** A stay guests look for, and what they found when the load began. */
export type WantedStay = { arrival: string; departure: string; offers: readonly Offer[] };

/** A hotel of the demo as its guests know it. */
export type House = {
  slug: string;
  locales: readonly string[];
  propertyId: string;
  stays: readonly WantedStay[];
};

// biome-ignore lint/suspicious/noExplicitAny: replies, read as a client of another language would
type Body = any;

/** Opens the site of each hotel group and asks for every stay once: what drafts will be made of. */
export async function openHouses(line: Line, slugs: readonly string[]): Promise<House[]> {
  const houses: House[] = [];
  for (const slug of slugs) {
    const get = (path: string) => read(line, { method: 'GET', path, headers: { 'x-tenant-slug': slug } });
    const site = await get('/api/v1/booking/bootstrap');
    const [{ propertyId }] = site.properties;
    const { today } = await get(calendarPath(propertyId, new Date().toISOString().slice(0, 10)));
    const stays: WantedStay[] = [];
    for (let rank = 0; rank < STAYS; rank++) {
      const { inDays, nights } = stayOf(rank);
      const arrival = addDays(parseLocalDate(today), inDays);
      const stay = { arrival, departure: addDays(arrival, nights) };
      const { offers } = await get(availabilityPath('availability', propertyId, { ...stay, adults: 1 }));
      stays.push({ ...stay, offers });
    }
    houses.push({
      slug,
      propertyId,
      stays,
      locales: [site.locale, ...site.locales.filter((one: string) => one !== site.locale)],
    });
  }
  return houses;
}

/** The three months that the date grid shows. */
export function calendarPath(propertyId: string, from: string): string {
  const to = addDays(parseLocalDate(from), 92);
  return `/api/v1/booking/calendar?propertyId=${propertyId}&from=${from}&to=${to}`;
}

type Asked = { arrival: string; departure: string; adults: number; locale?: string };

/** A search of a house; `cheapest` for a list of houses, `availability` for its rooms. */
export function availabilityPath(
  what: 'availability' | 'cheapest',
  propertyId: string,
  { arrival, departure, adults, locale }: Asked,
): string {
  const language = locale === undefined ? '' : `&locale=${locale}`;
  return `/api/v1/booking/${what}?propertyId=${propertyId}&arrival=${arrival}&departure=${departure}&adults=${adults}${language}`;
}

async function read(line: Line, call: Call): Promise<Body> {
  const { status, text } = await line.send(call);
  if (status !== 200) throw new Error(`${call.path}: ${status} ${text}`);
  return JSON.parse(text);
}
