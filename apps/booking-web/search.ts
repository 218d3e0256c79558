import { localDateIn, parseZone } from '@ghasi/domain-primitives/zone';
import { type Calendar, dayNumber, isoOf, shiftDays } from './client/calendar.ts';
import { type Fields, latinDigits } from './forms.ts';
import type { TextKey } from './messages/text-keys.ts';
import type { Hotel, Property } from './views.ts';

/** What a guest looks for; dates are ISO, whatever calendar he reads. */
export type Search = {
  propertyId: string;
  arrival: string;
  departure: string;
  adults: number;
  children: number;
  rooms: number;
};

/** Most nights a form lets a guest choose; longer stays are arranged by phone. */
export const MOST_NIGHTS = 60;

/** A search from a form or an address, completed with what most guests want, and what is wrong with it. */
export function searchOf(fields: Fields, hotel: Hotel, now: Date): { search: Search; wrong: TextKey[] } {
  const property = propertyIn(hotel, fields.get('hotel'));
  const today = todayAt(property, now);
  const given = { arrival: dateField(fields, 'arrival'), departure: dateField(fields, 'departure') };
  const arrival = given.arrival ?? shiftDays(today, 1);
  const departure = given.departure ?? shiftDays(arrival, 1);
  const search = {
    propertyId: property.propertyId,
    arrival,
    departure,
    adults: countField(fields, 'adults', { least: 1, most: 30, usual: 2 }),
    children: countField(fields, 'children', { least: 0, most: 30, usual: 0 }),
    rooms: countField(fields, 'rooms', { least: 1, most: 9, usual: 1 }),
  };
  const wrong: TextKey[] = [];
  if (given.arrival === undefined || given.departure === undefined) wrong.push('search.error_missing');
  else if (arrival < today) wrong.push('search.error_past');
  else if (departure <= arrival) wrong.push('search.error_order');
  if (search.adults < search.rooms) wrong.push('search.error_adults');
  return { search, wrong };
}

/** The search as an address understands it. */
export function searchQuery(search: Search): string {
  return new URLSearchParams({
    hotel: search.propertyId,
    arrival: search.arrival,
    departure: search.departure,
    adults: String(search.adults),
    children: String(search.children),
    rooms: String(search.rooms),
  }).toString();
}

/** The search as the BFF understands it. */
export function availabilityPath(search: Search, hotel: Hotel): string {
  const { propertyId, arrival, departure, adults, children, rooms } = search;
  const query = new URLSearchParams({
    propertyId,
    arrival,
    departure,
    adults: String(adults),
    children: String(children),
    rooms: String(rooms),
    locale: hotel.locale,
  });
  return `/availability?${query}`;
}

/** Nights of a stay. */
export function nightsOf({ arrival, departure }: { arrival: string; departure: string }): number {
  return dayNumber(departure) - dayNumber(arrival);
}

/** The house a field names, else the first. */
export function propertyIn(hotel: Hotel, propertyId: string): Property {
  const found = hotel.properties.find(each => each.propertyId === propertyId) ?? hotel.properties[0];
  if (found === undefined) throw new TypeError('a hotel without a house has no site');
  return found;
}

/** The date at the house. */
export function todayAt(property: Property, now: Date): string {
  return localDateIn(parseZone(property.zone), now);
}

/** An ISO field `arrival`, or day, month and year of the calendar that `calendar` names. */
export function dateField(fields: Fields, name: string): string | undefined {
  if (fields.has(`${name}_day`)) {
    const calendar: Calendar = fields.get('calendar') === 'solar-hijri' ? 'solar-hijri' : 'gregorian';
    const part = (which: string) => Number(latinDigits(fields.get(`${name}_${which}`)) || Number.NaN);
    return isoOf({ year: part('year'), month: part('month'), day: part('day') }, calendar);
  }
  const text = fields.get(name);
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return undefined;
  return isoOf(
    { year: Number(text.slice(0, 4)), month: Number(text.slice(5, 7)), day: Number(text.slice(8)) },
    'gregorian',
  );
}

function countField(
  fields: Fields,
  name: string,
  bounds: { least: number; most: number; usual: number },
): number {
  const text = latinDigits(fields.get(name));
  const value = /^\d{1,3}$/.test(text) ? Number(text) : bounds.usual;
  return Math.min(bounds.most, Math.max(bounds.least, value));
}
