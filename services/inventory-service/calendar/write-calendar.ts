import { escapeText, fold } from './content-lines.ts';
import type { Nights } from './nights.ts';

/** Whoever reads it learns when, and not who or why. */
const SUMMARY = 'Busy';

/**
 * Busy nights as a calendar of RFC 5545, one event for each run of them. UIDs come from the first night, so a run that
 * grows stays the same event.
 */
export function writeCalendar(busy: readonly Nights[], { id, at }: { id: string; at: Date }): string {
  const stamp = at.toISOString().replaceAll(/[-:]|\.\d+/g, '');
  const events = busy.flatMap(({ from, until }) => [
    'BEGIN:VEVENT',
    `UID:${escapeText(`${from}-${id}@melmastoon`)}`,
    `DTSTAMP:${stamp}`,
    `DTSTART;VALUE=DATE:${compact(from)}`,
    `DTEND;VALUE=DATE:${compact(until)}`,
    `SUMMARY:${SUMMARY}`,
    'TRANSP:OPAQUE',
    'END:VEVENT',
  ]);
  return fold([
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Melmastoon//Inventory//EN',
    'CALSCALE:GREGORIAN',
    'METHOD:PUBLISH',
    ...events,
    'END:VCALENDAR',
  ]);
}

const compact = (date: string) => date.replaceAll('-', '');
