import { coreErrors } from './errors.ts';
import { daysBetween, eachDay, type LocalDate, parseLocalDate } from './local-date.ts';

/** A stay `[arrival, departure)`: the night of departure is not slept, so another guest may arrive that day (R5). */
export type Stay = { readonly arrival: LocalDate; readonly departure: LocalDate };

/** Longest stay in nights: about three years. One request must not make a million rows. */
export const MAX_NIGHTS = 1_100;

/** Makes a stay of 1 to 1,100 nights from two dates; text from outside is checked here. */
export function stay(arrival: string, departure: string): Stay {
  const from = parseLocalDate(arrival);
  const to = parseLocalDate(departure);
  const count = daysBetween(from, to);
  if (count < 1) throw coreErrors.INVALID_STAY({ reason: `departure ${to} is not after arrival ${from}` });
  if (count > MAX_NIGHTS) {
    throw coreErrors.INVALID_STAY({ reason: `${count} nights are more than the ${MAX_NIGHTS} allowed` });
  }
  return Object.freeze({ arrival: from, departure: to });
}

/** How many nights are slept; the same in every zone. */
export function nights({ arrival, departure }: Stay): number {
  return daysBetween(arrival, departure);
}

/** The date of every night, in order: rows are locked in this order everywhere, so no deadlock. */
export function nightDates({ arrival, departure }: Stay): LocalDate[] {
  return [...eachDay(arrival, departure)];
}

/** True when both stays sleep at least one common night; a turnover on one day is no overlap. */
export function overlaps(left: Stay, right: Stay): boolean {
  return left.arrival < right.departure && right.arrival < left.departure;
}

/** True when the night of this date is part of the stay; the departure date is not. */
export function contains({ arrival, departure }: Stay, date: LocalDate): boolean {
  return arrival <= date && date < departure;
}
