// Runs on the server and in the browser: no imports, no Intl. Dates are ISO texts; a calendar only changes how they read.

/** How a date is read to the guest. */
export type Calendar = 'gregorian' | 'solar-hijri';

/** A day as its calendar names it. */
export type DayParts = { year: number; month: number; day: number };

const MS_PER_DAY = 86_400_000;

/** Days from 1970-01-01. */
export function dayNumber(iso: string): number {
  return Math.round(Date.parse(`${iso}T00:00:00Z`) / MS_PER_DAY);
}

/** The ISO text of a day number. */
export function isoDay(number: number): string {
  return new Date(number * MS_PER_DAY).toISOString().slice(0, 10);
}

/** The date so many days later, or earlier when negative. */
export function shiftDays(iso: string, days: number): string {
  return isoDay(dayNumber(iso) + days);
}

/** ISO day of the week: 1 is Monday, 7 is Sunday. */
export function weekdayOf(iso: string): number {
  return ((((dayNumber(iso) + 3) % 7) + 7) % 7) + 1;
}

/** The day as the calendar names it. */
export function partsOf(iso: string, calendar: Calendar): DayParts {
  if (calendar === 'gregorian') {
    return { year: Number(iso.slice(0, 4)), month: Number(iso.slice(5, 7)), day: Number(iso.slice(8, 10)) };
  }
  const number = dayNumber(iso);
  let year = Number(iso.slice(0, 4)) - 621;
  if (number < solarYearStart(year)) year -= 1;
  const dayOfYear = number - solarYearStart(year);
  const month = dayOfYear < 186 ? Math.floor(dayOfYear / 31) + 1 : Math.floor((dayOfYear - 186) / 30) + 7;
  return { year, month, day: dayOfYear - monthOffset(month) + 1 };
}

/** The ISO text of a day, or undefined when the calendar has no such day. */
export function isoOf({ year, month, day }: DayParts, calendar: Calendar): string | undefined {
  if (![year, month, day].every(Number.isInteger) || year < 1 || year > 9999) return undefined;
  if (month < 1 || month > 12 || day < 1 || day > monthLength(year, month, calendar)) return undefined;
  if (calendar === 'solar-hijri') return isoDay(solarYearStart(year) + monthOffset(month) + day - 1);
  return `${String(year).padStart(4, '0')}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`;
}

/** Days of a month. */
export function monthLength(year: number, month: number, calendar: Calendar): number {
  if (calendar === 'gregorian') return new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate();
  if (month <= 6) return 31;
  if (month <= 11) return 30;
  return solarYearStart(year + 1) - solarYearStart(year) - 336;
}

/** The month so many months later; month 13 is month 1 of the next year. */
export function shiftMonths({ year, month }: { year: number; month: number }, months: number) {
  const count = year * 12 + month - 1 + months;
  return { year: Math.floor(count / 12), month: (count % 12) + 1 };
}

function monthOffset(month: number): number {
  return month <= 7 ? (month - 1) * 31 : 186 + (month - 7) * 30;
}

/** Day number of 1 Hamal. Eight leap years in 33: right from 1800 to 2200, which the tests compare with Intl. */
function solarYearStart(year: number): number {
  return 365 * (year - 1) + Math.floor((8 * year + 21) / 33) - 492_268;
}
