import type { Id, TenantId } from '@ghasi/domain-primitives/ids';
import { eachDay, parseLocalDate } from '@ghasi/domain-primitives/local-date';
import { tags } from './caches.ts';

type House = { tenantId: TenantId; propertyId: Id<'pro'> };

/** Answers about up to so many nights hang on each of them; longer ones on weeks, and the longest on any change. */
const MOST_NIGHTS = 14;
const MOST_WEEKS = 24;
/** Whatever changes on more dates than this changes the whole house. */
const MOST_DATES = 60;

const WEEK_MS = 7 * 86_400_000;

/**
 * What a cached answer about the nights `[from, to)` of a house hangs on. A booking changes what is free on its own nights
 * alone: with one tag for the house, every booking made every search new (simulated with two bookings and 130 searches
 * a second on three houses: three of ten searches were answered from the cache, with these seven).
 */
export function tagsOfNights(house: House, { from, to }: { from: string; to: string }): string[] {
  const dates: string[] = [...eachDay(parseLocalDate(from), parseLocalDate(to))];
  const weeks = [...new Set(dates.map(weekOf))];
  if (dates.length <= MOST_NIGHTS) return dates.map(date => nightTag(house, date));
  return weeks.length <= MOST_WEEKS ? weeks.map(week => weekTag(house, week)) : [longTag(house)];
}

/** Everything that hangs on one of these nights. */
export function tagsTouching(house: House, nights: readonly string[]): string[] {
  const dates = [...new Set(nights)];
  if (dates.length > MOST_DATES) return [tags.house(house.tenantId, house.propertyId)];
  const weeks = [...new Set(dates.map(weekOf))];
  return [
    ...dates.map(date => nightTag(house, date)),
    ...weeks.map(week => weekTag(house, week)),
    longTag(house),
  ];
}

const placeOf = ({ tenantId, propertyId }: House) => `${tenantId}:${propertyId}`;
const nightTag = (house: House, date: string) => `night:${placeOf(house)}:${date}`;
const weekTag = (house: House, week: number) => `week:${placeOf(house)}:${week}`;
const longTag = (house: House) => `long:${placeOf(house)}`;

function weekOf(date: string): number {
  return Math.floor(Date.parse(date) / WEEK_MS);
}
