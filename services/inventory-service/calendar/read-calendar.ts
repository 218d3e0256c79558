import type { Zone } from '@ghasi/domain-primitives/zone';
import { type ContentLine, parseLine, unescapeText, unfold } from './content-lines.ts';
import { nightsOf } from './event-dates.ts';
import type { Nights } from './nights.ts';
import { UnreadableCalendar } from './unreadable-calendar.ts';

/** Most events of a calendar. A room has one booking a night at most, and portals tell two years. */
export const MOST_EVENTS = 2_000;

/** Most characters of a UID; it is kept, and 255 octets are what RFC 7986 allows. */
const LONGEST_UID = 255;

/** How deep components may lie in each other: an alarm in an event in a calendar is three. */
const DEEPEST = 8;

/** What a portal says of some nights `[from, until)`. */
export type CalendarEvent = Nights & {
  readonly uid: string;
  readonly summary: string;
  readonly cancelled: boolean;
};

/** Properties that are read; each may be there once. The rest of an event is nobody's business. */
const read = ['UID', 'DTSTART', 'DTEND', 'DURATION', 'STATUS', 'SUMMARY'] as const;
/** An event that repeats would block too little if only its first time was read, so it is refused. Portals send none. */
const repeating = new Set(['RRULE', 'RDATE', 'RECURRENCE-ID']);

type EventLines = Partial<Record<(typeof read)[number], ContentLine>>;

/**
 * Reads a calendar of RFC 5545: all of it or nothing. Events are told apart by UID alone; one that is there twice with
 * the same dates counts once, with other dates the calendar is refused.
 */
export function readCalendar(bytes: Uint8Array, zone: Zone): CalendarEvent[] {
  const events = new Map<string, CalendarEvent>();
  let number = 0;
  for (const lines of eventsOf(unfold(bytes))) {
    number += 1;
    if (number > MOST_EVENTS) throw new UnreadableCalendar(`it has more than ${MOST_EVENTS} events`);
    const event = inEvent(number, () => eventOf(lines, zone));
    const other = events.get(event.uid);
    if (other !== undefined && !isSame(event, other))
      throw new UnreadableCalendar(`event ${number}: its UID is there already, with other dates`);
    events.set(event.uid, event);
  }
  return [...events.values()];
}

/** The lines of each VEVENT that lies directly in the calendar. */
function* eventsOf(lines: readonly string[]): Generator<EventLines> {
  const open: string[] = [];
  let event: EventLines = {};
  let number = 0;
  let isOver = false;
  for (const text of lines) {
    const line = parseLine(text);
    const { name } = line;
    if (isOver) throw new UnreadableCalendar('something follows the end of the calendar');
    if (open.length === 0 && !(name === 'BEGIN' && line.value.toUpperCase() === 'VCALENDAR'))
      throw new UnreadableCalendar('it does not begin with BEGIN:VCALENDAR');
    if (name === 'BEGIN') {
      open.push(line.value.toUpperCase());
      if (open.length > DEEPEST) throw new UnreadableCalendar('its components lie too deep in each other');
      if (isEvent(open)) {
        event = {};
        number += 1;
      }
    } else if (name === 'END') {
      const isOurs = isEvent(open);
      if (open.pop() !== line.value.toUpperCase())
        throw new UnreadableCalendar('a component ends that did not begin');
      if (isOurs) yield event;
      isOver = open.length === 0;
    } else if (isEvent(open)) inEvent(number, () => note(event, line));
    else if (open.length === 1 && name === 'VERSION' && line.value.trim() !== '2.0')
      throw new UnreadableCalendar('it is of another version than 2.0');
  }
  if (!isOver) throw new UnreadableCalendar('it has no end');
}

function isEvent(open: readonly string[]): boolean {
  return open.length === 2 && open[1] === 'VEVENT';
}

function note(event: EventLines, line: ContentLine): void {
  if (repeating.has(line.name)) throw new UnreadableCalendar('it repeats, which is not read');
  const name = read.find(one => one === line.name);
  if (name === undefined) return;
  if (event[name] !== undefined) throw new UnreadableCalendar(`${name} is there twice`);
  event[name] = line;
}

function eventOf(lines: EventLines, zone: Zone): CalendarEvent {
  const uid = unescapeText(lines.UID?.value ?? '').trim();
  if (uid === '') throw new UnreadableCalendar('UID is missing');
  if (uid.length > LONGEST_UID) throw new UnreadableCalendar(`UID has more than ${LONGEST_UID} characters`);
  return {
    uid,
    summary: unescapeText(lines.SUMMARY?.value ?? '').trim(),
    cancelled: lines.STATUS?.value.trim().toUpperCase() === 'CANCELLED',
    ...nightsOf(lines, zone),
  };
}

function isSame(one: CalendarEvent, other: CalendarEvent): boolean {
  return one.from === other.from && one.until === other.until && one.cancelled === other.cancelled;
}

/** Says which event it was: its number is all that a person needs to find it. */
function inEvent<T>(number: number, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof UnreadableCalendar)) throw error;
    throw new UnreadableCalendar(`event ${number}: ${error.reason}`, { cause: error });
  }
}
