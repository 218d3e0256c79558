import { minutes } from '@ghasi/domain-primitives/duration';
import { AppError } from '@ghasi/domain-primitives/errors';
import { addDays, type LocalDate, parseLocalDate } from '@ghasi/domain-primitives/local-date';
import { instantAt, localDateIn, offsetMinutes, parseZone, type Zone } from '@ghasi/domain-primitives/zone';
import type { ContentLine } from './content-lines.ts';
import type { Nights } from './nights.ts';
import { UnreadableCalendar } from './unreadable-calendar.ts';

/** What says when an event is. */
export type WhenLines = {
  readonly DTSTART?: ContentLine | undefined;
  readonly DTEND?: ContentLine | undefined;
  readonly DURATION?: ContentLine | undefined;
};

type Moment = { kind: 'date'; date: LocalDate } | { kind: 'time'; instant: Date };

/**
 * The nights `[from, until)` of an event as dates of the house. Dates stand as they are; a time is the date that the
 * wall calendar of the house shows then, so a stay from 14:00 to 11:00 is its nights. Without an end it is one day, or
 * no night at all when it starts at a time (RFC 5545, 3.6.1). A date that ends on itself is read as that one day.
 */
export function nightsOf({ DTSTART, DTEND, DURATION }: WhenLines, zone: Zone): Nights {
  if (DTSTART === undefined) throw new UnreadableCalendar('DTSTART is missing');
  if (DTEND !== undefined && DURATION !== undefined)
    throw new UnreadableCalendar('it has both DTEND and DURATION');
  const start = momentOf(DTSTART, zone);
  const end = DTEND === undefined ? after(start, DURATION, zone) : momentOf(DTEND, zone);
  if (start.kind !== end.kind)
    throw new UnreadableCalendar('it starts on a date and ends at a time, or the reverse');
  const from = dateOf(start, zone);
  const until = dateOf(end, zone);
  if (until < from || isBackwards(start, end)) throw new UnreadableCalendar('it ends before it begins');
  return { from, until: start.kind === 'date' && until === from ? addDays(from, 1) : until };
}

function momentOf({ name, params, value }: ContentLine, zone: Zone): Moment {
  const [, date, time, utc] = /^(\d{8})(?:T(\d{6})(Z?))?$/.exec(value) ?? [];
  if (date === undefined) throw new UnreadableCalendar(`${name} is no date`);
  if (params.get('VALUE')?.toUpperCase() === 'DATE' && time !== undefined)
    throw new UnreadableCalendar(`${name} is a time where a date was promised`);
  return readable(name, () => {
    const day = parseLocalDate(`${date.slice(0, 4)}-${date.slice(4, 6)}-${date.slice(6)}`);
    if (time === undefined) return { kind: 'date', date: day };
    const where = utc === 'Z' ? parseZone('UTC') : (knownZone(params.get('TZID')) ?? zone);
    return { kind: 'time', instant: instantAt(where, day, `${time.slice(0, 2)}:${time.slice(2, 4)}`) };
  });
}

/** Portals that write times mean the clock of the house: a zone we do not know is read as that. */
function knownZone(name: string | undefined): Zone | undefined {
  try {
    return name === undefined ? undefined : parseZone(name);
  } catch {
    return undefined;
  }
}

const durations =
  /^\+?P(?:(\d{1,5})W|(?:(\d{1,5})D)?(?:T(?=\d)(?:(\d{1,6})H)?(?:(\d{1,7})M)?(?:(\d{1,8})S)?)?)$/;

function after(start: Moment, duration: ContentLine | undefined, zone: Zone): Moment {
  if (duration === undefined) return start;
  const [found, weeks, days, hours, mins, secs] = durations.exec(duration.value) ?? [];
  if (found === undefined || !/\d/.test(found)) throw new UnreadableCalendar('DURATION is no length of time');
  const wholeDays = Number(weeks ?? 0) * 7 + Number(days ?? 0);
  const rest = (Number(hours ?? 0) * 60 + Number(mins ?? 0)) * 60_000 + Number(secs ?? 0) * 1_000;
  return readable('DURATION', () => {
    if (start.kind === 'date') {
      if (rest !== 0) throw new UnreadableCalendar('a date lasts whole days');
      return { kind: 'date', date: addDays(start.date, wholeDays) };
    }
    // Days are days of the wall calendar, whatever DST does in between; the rest is exact (RFC 5545, 3.3.6).
    const local = localDateIn(zone, start.instant);
    const later = instantAt(zone, addDays(local, wholeDays), clockIn(zone, start.instant)).getTime() + rest;
    return { kind: 'time', instant: new Date(later) };
  });
}

/** What a clock in the zone shows, `14:00`. */
function clockIn(zone: Zone, instant: Date): string {
  return new Date(instant.getTime() + minutes(offsetMinutes(zone, instant))).toISOString().slice(11, 16);
}

function dateOf(moment: Moment, zone: Zone): LocalDate {
  return moment.kind === 'date' ? moment.date : readable('a time', () => localDateIn(zone, moment.instant));
}

function isBackwards(start: Moment, end: Moment): boolean {
  return start.kind === 'time' && end.kind === 'time' && end.instant < start.instant;
}

/** Dates that do not exist, or that no calendar of ours reaches, are the feed's fault. */
function readable<T>(name: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof AppError || error instanceof RangeError)
      throw new UnreadableCalendar(`${name} is no date that exists`, { cause: error });
    throw error;
  }
}
