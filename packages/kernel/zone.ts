import { Temporal } from 'temporal-polyfill';
import { coreErrors } from './errors.ts';
import type { LocalDate } from './local-date.ts';

declare const zoneBrand: unique symbol;

/** An IANA time zone in its own spelling, e.g. 'Asia/Kabul'. A property has one; a server has none (R3). */
export type Zone = string & { readonly [zoneBrand]: true };

/** Reads a zone from outside: 'Asia/Kabul' or 'UTC'; offsets and abbreviations are refused, they have no DST rules. */
export function parseZone(text: unknown): Zone {
  if (known.has(text as Zone)) return text as Zone;
  if (typeof text !== 'string')
    throw unknownZone(`expected text, got ${text === null ? 'null' : typeof text}`);
  const shown = text.slice(0, 40);
  if (text !== 'UTC' && !/^[A-Za-z_]+(?:\/[A-Za-z0-9_+-]+){1,2}$/.test(text)) {
    throw unknownZone(`"${shown}" is not like Asia/Kabul`);
  }
  const spelled = ianaSpelling(text);
  if (spelled === undefined) throw unknownZone(`"${shown}" is not in the zone database`);
  // One zone, one text: zones become cache keys and are compared.
  if (spelled !== text) throw unknownZone(`"${shown}" must be written ${spelled}`);
  known.add(text as Zone);
  return text as Zone;
}

/** Zones that were looked up; there are some six hundred. */
const known = new Set<Zone>();

function ianaSpelling(text: string): string | undefined {
  try {
    return Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(text).timeZoneId;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** The date on the wall calendar of the zone at this instant. */
export function localDateIn(zone: Zone, instant: Date): LocalDate {
  return inZone(zone, instant).toPlainDate().toString() as LocalDate;
}

/**
 * The instant at which a clock in the zone shows this date and 'HH:MM'. A time that DST skips moves forward by the
 * gap (02:30 becomes 03:30); a time that happens twice means the first. RFC 5545 calendars do the same.
 */
export function instantAt(zone: Zone, date: LocalDate, time: string): Date {
  const key = `${zone} ${date} ${time}`;
  const before = instants.get(key);
  if (before !== undefined) return new Date(before);
  const instant = computeInstant(zone, date, time);
  if (instants.size >= MOST_INSTANTS) instants.clear();
  instants.set(key, instant);
  return new Date(instant);
}

// A list of offers asks for the same check-in once per plan, room type and policy (from a profile: 6 % of a search's time).
const MOST_INSTANTS = 2_000;
const instants = new Map<string, number>();

function computeInstant(zone: Zone, date: LocalDate, time: string): number {
  const [, hour, minute] = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(time) ?? [];
  if (hour === undefined || minute === undefined) {
    throw coreErrors.MALFORMED_TIME({ reason: `"${time.slice(0, 24)}" is not like 14:00` });
  }
  const wall = Temporal.PlainDate.from(date).toPlainDateTime({ hour: Number(hour), minute: Number(minute) });
  return wall.toZonedDateTime(zone, { disambiguation: 'compatible' }).epochMilliseconds;
}

/** Minutes east of UTC at this instant (Kabul: 270); historic offsets with seconds are rounded to the minute. */
export function offsetMinutes(zone: Zone, instant: Date): number {
  return Math.round(inZone(zone, instant).offsetNanoseconds / 60_000_000_000);
}

/** The date at a device's own offset, minutes east of UTC from -720 to 840 (VAL-05, X-156). */
export function localDateAtOffset(minutesEast: number, instant: Date): LocalDate {
  if (!Number.isInteger(minutesEast) || minutesEast < -720 || minutesEast > 840) {
    throw unknownZone(`${minutesEast} is not an offset from -720 to 840 minutes east of UTC`);
  }
  const shifted = Temporal.Instant.fromEpochMilliseconds(epochMs(instant) + minutesEast * 60_000);
  return shifted.toZonedDateTimeISO('UTC').toPlainDate().toString() as LocalDate;
}

/** A deadline as the guest reads it: in the property's zone, with the zone's name (R6), wherever the device is. */
export function formatInZone(zone: Zone, instant: Date, locale: string): string {
  return new Intl.DateTimeFormat(locale, {
    timeZone: zone,
    year: 'numeric',
    month: 'long',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    timeZoneName: 'long',
  }).format(epochMs(instant));
}

function inZone(zone: Zone, instant: Date): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(epochMs(instant)).toZonedDateTimeISO(zone);
}

function epochMs(instant: Date): number {
  const ms = instant.getTime();
  if (Number.isNaN(ms)) throw coreErrors.MALFORMED_TIME({ reason: 'an invalid Date is no instant' });
  return ms;
}

function unknownZone(reason: string) {
  return coreErrors.UNKNOWN_ZONE({ reason });
}
