import { addDays, type LocalDate } from '@ghasi/domain-primitives/local-date';
import { nightDates, nights, type Stay } from '@ghasi/domain-primitives/stay';
import type { RefusalReason } from '../contract/questions.ts';
import type { Restrictions } from '../contract/resources.ts';

/** A date of a calendar, as it is sold on one plan and room type. */
export type Day = { date: LocalDate; price: bigint | null; restrictions: Restrictions };

/** What a calendar without an entry allows. */
export const unrestricted: Restrictions = {
  minNights: 1,
  maxNights: null,
  closedToArrival: false,
  closedToDeparture: false,
  closed: false,
};

/** A rule that a stay breaks, on the date it was read. */
export type Broken = { reason: RefusalReason; date: LocalDate; limit: number | null };

/**
 * R12: shortest and longest stay and closed-to-arrival are read on the arrival date, closed-to-departure on the
 * departure date, stop-sell on every night. R9: every night must have a price.
 */
export function brokenBy(stay: Stay, days: ReadonlyMap<LocalDate, Day>): Broken[] {
  const count = nights(stay);
  const arrival = days.get(stay.arrival)?.restrictions ?? unrestricted;
  const departure = days.get(stay.departure)?.restrictions ?? unrestricted;
  const found: Broken[] = [];
  const say = (reason: RefusalReason, date: LocalDate, limit: number | null = null) =>
    found.push({ reason, date, limit });
  if (count < arrival.minNights) say('min_stay', stay.arrival, arrival.minNights);
  if (arrival.maxNights !== null && count > arrival.maxNights)
    say('max_stay', stay.arrival, arrival.maxNights);
  if (arrival.closedToArrival) say('closed_to_arrival', stay.arrival);
  if (departure.closedToDeparture) say('closed_to_departure', stay.departure);
  for (const date of nightDates(stay)) {
    const day = days.get(date);
    if (day?.restrictions.closed) say('closed', date);
    if (day === undefined || day.price === null) say('no_price', date);
  }
  return found;
}

/** The dates whose entries decide about a stay: its nights and the day of departure. */
export function datesThatMatter(stay: Stay): { from: LocalDate; until: LocalDate } {
  return { from: stay.arrival, until: addDays(stay.departure, 1) };
}

/** A derived plan is never more open than the plan it is derived from. */
export function stricter(left: Restrictions, right: Restrictions): Restrictions {
  const longest = [left.maxNights, right.maxNights].filter(limit => limit !== null);
  return {
    minNights: Math.max(left.minNights, right.minNights),
    maxNights: longest.length === 0 ? null : Math.min(...longest),
    closedToArrival: left.closedToArrival || right.closedToArrival,
    closedToDeparture: left.closedToDeparture || right.closedToDeparture,
    closed: left.closed || right.closed,
  };
}
