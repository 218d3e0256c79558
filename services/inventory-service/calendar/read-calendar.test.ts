import { addDays, parseLocalDate } from '@ghasi/domain-primitives/local-date';
import { parseZone } from '@ghasi/domain-primitives/zone';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { joined } from './nights.ts';
import { MOST_EVENTS, readCalendar } from './read-calendar.ts';
import { UnreadableCalendar } from './unreadable-calendar.ts';
import { writeCalendar } from './write-calendar.ts';

const kabul = parseZone('Asia/Kabul');
const read = (text: string, zone = kabul) => readCalendar(new TextEncoder().encode(text), zone);
const calendar = (...lines: string[]) =>
  ['BEGIN:VCALENDAR', 'VERSION:2.0', ...lines, 'END:VCALENDAR'].join('\r\n');
const event = (...lines: string[]) => ['BEGIN:VEVENT', 'UID:a@portal', ...lines, 'END:VEVENT'];
const nights = (...lines: string[]) =>
  read(calendar(...event(...lines))).map(({ from, until }) => [from, until]);

describe('R13: the nights of an event', () => {
  test.each([
    ['dates', ['DTSTART;VALUE=DATE:20270510', 'DTEND;VALUE=DATE:20270512'], '2027-05-10', '2027-05-12'],
    ['dates without their type', ['DTSTART:20270510', 'DTEND:20270512'], '2027-05-10', '2027-05-12'],
    ['one day without an end', ['DTSTART;VALUE=DATE:20270510'], '2027-05-10', '2027-05-11'],
    ['a day that ends on itself', ['DTSTART:20270510', 'DTEND:20270510'], '2027-05-10', '2027-05-11'],
    ['a length in days', ['DTSTART;VALUE=DATE:20270510', 'DURATION:P3D'], '2027-05-10', '2027-05-13'],
    ['a length in weeks', ['DTSTART;VALUE=DATE:20270510', 'DURATION:P2W'], '2027-05-10', '2027-05-24'],
    ['times of the house', ['DTSTART:20270510T140000', 'DTEND:20270512T110000'], '2027-05-10', '2027-05-12'],
    // 20:00 UTC is half past midnight in Kabul.
    ['times of UTC', ['DTSTART:20270510T200000Z', 'DTEND:20270512T063000Z'], '2027-05-11', '2027-05-12'],
    [
      'times of another zone',
      ['DTSTART;TZID=America/New_York:20270510T160000', 'DTEND;TZID="America/New_York":20270512T020000'],
      '2027-05-11',
      '2027-05-12',
    ],
    [
      'times of a zone nobody knows',
      ['DTSTART;TZID=Portal Time:20270510T140000', 'DTEND;TZID=Portal Time:20270512T110000'],
      '2027-05-10',
      '2027-05-12',
    ],
    ['a length in hours', ['DTSTART:20270510T220000', 'DURATION:PT3H'], '2027-05-10', '2027-05-11'],
    ['days and hours', ['DTSTART:20270510T140000', 'DURATION:P1DT21H'], '2027-05-10', '2027-05-12'],
    ['hours of one day', ['DTSTART:20270510T140000', 'DTEND:20270510T160000'], '2027-05-10', '2027-05-10'],
  ])('%s', (_, lines, from, until) => {
    expect(nights(...lines)).toEqual([[from, until]]);
  });

  test('R3: days are days of the wall calendar, also when the clocks change in between', () => {
    const spring = calendar(...event('DTSTART:20270327T233000', 'DURATION:P1D'));
    expect(read(spring, parseZone('Europe/Berlin'))).toMatchObject([
      { from: '2027-03-27', until: '2027-03-28' },
    ]);
  });
});

test('UID, summary with its escapes and status are read; alarms, other components and unknown properties are not', () => {
  const text = calendar(
    'X-WR-CALNAME:House',
    'BEGIN:VTIMEZONE',
    'TZID:Asia/Kabul',
    'BEGIN:STANDARD',
    'DTSTART:19700101T000000',
    'RRULE:FREQ=YEARLY',
    'END:STANDARD',
    'END:VTIMEZONE',
    ...event(
      String.raw`SUMMARY;LANGUAGE=en:Reserved\, room 1\; late\nby train`,
      'DTSTART;VALUE=DATE:20270510',
      'STATUS:cancelled',
      'BEGIN:VALARM',
      'SUMMARY:wake up',
      'DURATION:PT5M',
      'END:VALARM',
    ),
  );
  expect(read(text)).toEqual([
    {
      uid: 'a@portal',
      summary: 'Reserved, room 1; late\nby train',
      cancelled: true,
      from: '2027-05-10',
      until: '2027-05-11',
    },
  ]);
});

test('R13: an event that is there twice with the same dates counts once', () => {
  const one = event('DTSTART:20270510');
  expect(read(calendar(...one, ...one))).toHaveLength(1);
});

const twice = [...event('DTSTART:20270510'), ...event('DTSTART:20270511')];
const many = Array.from({ length: MOST_EVENTS + 1 }, (_, n) => [
  'BEGIN:VEVENT',
  `UID:${n}`,
  'DTSTART:20270510',
  'END:VEVENT',
]).flat();

test.each([
  ['nothing', '', 'no end'],
  ['a web page', '<!doctype html>', 'no name'],
  ['text before the calendar', `VERSION:2.0\r\n${calendar()}`, 'BEGIN:VCALENDAR'],
  ['half a calendar', calendar(...event('DTSTART:20270510')).slice(0, -15), 'no end'],
  ['text after the calendar', `${calendar()}\r\nBEGIN:VCALENDAR`, 'follows the end'],
  ['components that cross', calendar('BEGIN:VEVENT', 'END:VALARM'), 'did not begin'],
  ['components without end', calendar(...Array<string>(9).fill('BEGIN:X')), 'too deep'],
  ['another version', calendar().replace('2.0', '1.0'), 'version'],
  ['no UID', calendar('BEGIN:VEVENT', 'DTSTART:20270510', 'END:VEVENT'), 'event 1: UID is missing'],
  ['a long UID', calendar(...event('DTSTART:20270510')).replace('a@portal', 'x'.repeat(256)), 'UID has more'],
  ['no start', calendar(...event('SUMMARY:x')), 'DTSTART is missing'],
  [
    'two starts',
    calendar(...event('DTSTART:20270510', 'DTSTART:20270510')),
    'event 1: DTSTART is there twice',
  ],
  [
    'a day that does not exist',
    calendar(...event('DTSTART:20270230')),
    'event 1: DTSTART is no date that exists',
  ],
  ['an hour that does not exist', calendar(...event('DTSTART:20270210T250000')), 'no date that exists'],
  ['no date at all', calendar(...event('DTSTART:tomorrow')), 'DTSTART is no date'],
  ['a time where a date was promised', calendar(...event('DTSTART;VALUE=DATE:20270210T120000')), 'promised'],
  ['the end of time', calendar(...event('DTSTART:99991231', 'DURATION:P9D')), 'no date that exists'],
  ['an end before the start', calendar(...event('DTSTART:20270510', 'DTEND:20270509')), 'before it begins'],
  [
    'an end some minutes before the start',
    calendar(...event('DTSTART:20270510T120000', 'DTEND:20270510T115900')),
    'before it begins',
  ],
  [
    'a date that ends at a time',
    calendar(...event('DTSTART:20270510', 'DTEND:20270511T120000')),
    'or the reverse',
  ],
  ['end and length', calendar(...event('DTSTART:20270510', 'DTEND:20270511', 'DURATION:P1D')), 'both'],
  ['a negative length', calendar(...event('DTSTART:20270510', 'DURATION:-P1D')), 'length of time'],
  ['a length of nothing', calendar(...event('DTSTART:20270510', 'DURATION:P')), 'length of time'],
  ['a date that lasts hours', calendar(...event('DTSTART:20270510', 'DURATION:PT5H')), 'whole days'],
  ['an event that repeats', calendar(...event('DTSTART:20270510', 'RRULE:FREQ=DAILY')), 'repeats'],
  ['one time of many', calendar(...event('DTSTART:20270510', 'RECURRENCE-ID:20270510')), 'repeats'],
  ['a UID with two dates', calendar(...twice), 'event 2: its UID is there already'],
  ['too many events', calendar(...many), 'more than 2000 events'],
])('R13: a calendar with %s is refused as a whole, and says where', (_, text, reason) => {
  expect(() => read(text)).toThrow(UnreadableCalendar);
  expect(() => read(text)).toThrow(reason);
});

test('what is refused is never quoted: feeds hold names of guests', () => {
  const secret = 'Ahmad Wali 0799';
  for (const line of [`DTSTART:${secret}`, `DTSTART:20270510\r\nDURATION:${secret}`, `${secret}`])
    expect(() => read(calendar(...event(line)))).not.toThrow(secret);
});

test('safety-fuzz: whatever comes, it is read or refused with a reason, and nothing else', () => {
  const words = fc.constantFrom(
    ...[
      'BEGIN:VCALENDAR',
      'END:VCALENDAR',
      'BEGIN:VEVENT',
      'END:VEVENT',
      'UID:a',
      'DTSTART:20270510',
      ' folded',
    ],
    ...['DTSTART;VALUE=DATE:20270510', 'DTEND:20270512', 'DURATION:P2D', 'SUMMARY:x', 'STATUS:CANCELLED', ''],
  );
  const lines = fc
    .array(fc.oneof({ weight: 6, arbitrary: words }, fc.string({ unit: 'binary' })), { maxLength: 30 })
    .map(all => new TextEncoder().encode(all.join('\r\n')));
  fc.assert(
    fc.property(fc.oneof(lines, fc.uint8Array({ maxLength: 400 })), bytes => {
      try {
        for (const { from, until } of readCalendar(bytes, kabul)) expect(from <= until).toBe(true);
      } catch (error) {
        if (!(error instanceof UnreadableCalendar)) throw error;
      }
    }),
    { numRuns: 1_000 },
  );
});

test('M14: busy nights that are written are read again, as the same nights, and say nothing else', () => {
  const first = parseLocalDate('2027-01-01');
  const runs = fc
    .array(fc.tuple(fc.nat(400), fc.integer({ min: 1, max: 9 })), { maxLength: 8 })
    .map(list =>
      joined(
        list.map(([from, length]) => ({ from: addDays(first, from), until: addDays(first, from + length) })),
      ),
    );
  fc.assert(
    fc.property(runs, busy => {
      const text = writeCalendar(busy, { id: 'cal_01J8ZQ4T3Y5V6W7X8Y9Z0A1B30', at: new Date(0) });
      const found = read(text);
      expect(found.map(({ from, until }) => ({ from, until }))).toEqual(busy);
      expect(new Set(found.map(({ uid }) => uid)).size).toBe(busy.length);
      expect(new Set(found.map(({ summary }) => summary))).toEqual(new Set(busy.length > 0 ? ['Busy'] : []));
    }),
  );
});
