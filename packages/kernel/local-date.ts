import { coreErrors } from './errors.ts';

declare const dateBrand: unique symbol;

/** A day on the wall calendar, 'YYYY-MM-DD' (ISO, year 0001 to 9999), without time or zone. Sorts as text. */
export type LocalDate = string & { readonly [dateBrand]: true };

/** ISO day of the week: 1 is Monday, 7 is Sunday. */
export type Weekday = 1 | 2 | 3 | 4 | 5 | 6 | 7;

const FIRST_DAY = -719_162; // 0001-01-01, counted from 1970-01-01
const LAST_DAY = 2_932_896; // 9999-12-31

/** True for the canonical text of a day that exists. */
export function isLocalDate(text: unknown): text is LocalDate {
  return typeof text === 'string' && whyNotDate(text) === undefined;
}

/** Reads a date from outside; 2026-02-30 and 2026-2-3 are refused. */
export function parseLocalDate(text: unknown): LocalDate {
  if (typeof text !== 'string') throw malformed(`expected text, got ${text === null ? 'null' : typeof text}`);
  const problem = whyNotDate(text);
  if (problem !== undefined) throw malformed(problem);
  return text as LocalDate;
}

function whyNotDate(text: string): string | undefined {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return `"${text.slice(0, 24)}" is not like 2026-03-21`;
  const { year, month, day } = split(text);
  if (year < 1) return `"${text}" has year 0`;
  if (month < 1 || month > 12) return `"${text}" has month ${month}`;
  if (day < 1 || day > daysInMonth(year, month)) return `"${text}" has no such day in its month`;
  return undefined;
}

/** The date so many days later, or earlier when negative. */
export function addDays(date: LocalDate, count: number): LocalDate {
  if (!Number.isSafeInteger(count)) throw malformed(`${count} is not a whole number of days`);
  return fromDayNumber(dayNumber(date) + count);
}

/** Days from the first date to the second; negative when the second is earlier. */
export function daysBetween(from: LocalDate, to: LocalDate): number {
  return dayNumber(to) - dayNumber(from);
}

/** -1, 0 or 1 as left is before, on or after right. */
export function compareDates(left: LocalDate, right: LocalDate): -1 | 0 | 1 {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

/** Every day of `[from, to)` in order; lazy, so that a foolish range costs nothing until it is walked. */
export function* eachDay(from: LocalDate, to: LocalDate): Generator<LocalDate, void, undefined> {
  const end = dayNumber(to);
  for (let day = dayNumber(from); day < end; day += 1) yield fromDayNumber(day);
}

/** The ISO day of the week. */
export function weekday(date: LocalDate): Weekday {
  // Day 0, 1970-01-01, was a Thursday (4). The double modulo keeps days before it positive.
  return (((((dayNumber(date) + 3) % 7) + 7) % 7) + 1) as Weekday;
}

// Integer calendar arithmetic instead of Date: nothing here can pick up a zone (R3, R4). Years are counted from March,
// so that the leap day is the last of its year; 719,468 days lie between 0000-03-01 and 1970-01-01.

function dayNumber(date: LocalDate): number {
  const { year, month, day } = split(date);
  const marchYear = month > 2 ? year : year - 1;
  const monthsSinceMarch = (month + 9) % 12;
  const leapDays = Math.floor(marchYear / 4) - Math.floor(marchYear / 100) + Math.floor(marchYear / 400);
  const dayOfYear = Math.floor((153 * monthsSinceMarch + 2) / 5) + day - 1;
  return 365 * marchYear + leapDays + dayOfYear - 719_468;
}

function fromDayNumber(days: number): LocalDate {
  if (days < FIRST_DAY || days > LAST_DAY) throw malformed('outside the years 0001 to 9999');
  const sinceMarchZero = days + 719_468;
  const era = Math.floor(sinceMarchZero / 146_097); // 400 years
  const dayOfEra = sinceMarchZero % 146_097;
  // Take out the leap days seen so far (every 4 years, not every 100, but at the era's very end), then divide.
  const leapDays =
    Math.floor(dayOfEra / 1_460) - Math.floor(dayOfEra / 36_524) + Math.floor(dayOfEra / 146_096);
  const yearOfEra = Math.floor((dayOfEra - leapDays) / 365);
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const monthsSinceMarch = Math.floor((5 * dayOfYear + 2) / 153);
  const day = dayOfYear - Math.floor((153 * monthsSinceMarch + 2) / 5) + 1;
  const month = monthsSinceMarch < 10 ? monthsSinceMarch + 3 : monthsSinceMarch - 9;
  const year = era * 400 + yearOfEra + (month > 2 ? 0 : 1);
  return `${pad(year, 4)}-${pad(month, 2)}-${pad(day, 2)}` as LocalDate;
}

function isLeap(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

function daysInMonth(year: number, month: number): number {
  if (month === 2) return isLeap(year) ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}

function split(date: string): { year: number; month: number; day: number } {
  return { year: Number(date.slice(0, 4)), month: Number(date.slice(5, 7)), day: Number(date.slice(8, 10)) };
}

function pad(value: number, width: number): string {
  return value.toString().padStart(width, '0');
}

function malformed(reason: string) {
  return coreErrors.MALFORMED_DATE({ reason });
}
