import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { coreErrors } from './errors.ts';
import { parseLocalDate } from './local-date.ts';
import { formatInZone, instantAt, localDateAtOffset, localDateIn, offsetMinutes, parseZone } from './zone.ts';

const kabul = parseZone('Asia/Kabul');
const berlin = parseZone('Europe/Berlin');
const at = (zone: string, date: string, time: string) =>
  instantAt(parseZone(zone), parseLocalDate(date), time).toISOString();

const unknownZone = expect.toSatisfy(coreErrors.UNKNOWN_ZONE.is);
const malformedTime = expect.toSatisfy(coreErrors.MALFORMED_TIME.is);

describe('reading a zone', () => {
  test('every zone of the platform is accepted in its own spelling', () => {
    const all = Intl.supportedValuesOf('timeZone');
    expect(all.length).toBeGreaterThan(400);
    for (const name of all) expect(parseZone(name)).toBe(name);
    expect(parseZone('UTC')).toBe('UTC');
  });

  test.each([
    ['asia/kabul', 'must be written Asia/Kabul'],
    ['ASIA/KABUL', 'must be written Asia/Kabul'],
    ['Asia/Kandahar', 'not in the zone database'],
    ['+04:30', 'is not like Asia/Kabul'],
    ['GMT+4', 'is not like Asia/Kabul'],
    ['EST', 'is not like Asia/Kabul'],
    ['utc', 'is not like Asia/Kabul'],
    ['', 'is not like Asia/Kabul'],
    [' Asia/Kabul', 'is not like Asia/Kabul'],
    ['Asia/Kabul\n', 'is not like Asia/Kabul'],
    ['Asia/Kabul[u-ca=persian]', 'is not like Asia/Kabul'],
    ['../../etc/passwd', 'is not like Asia/Kabul'],
    [null, 'got null'],
    [270, 'got number'],
  ])('R3: %j is refused', (text, why) => {
    expect(() => parseZone(text)).toThrow(unknownZone);
    expect(() => parseZone(text)).toThrow(why);
  });
});

describe('Kabul, +04:30 all year', () => {
  test('R3: its offset is 270 minutes in winter and summer', () => {
    expect(offsetMinutes(kabul, new Date('2026-01-15T00:00:00Z'))).toBe(270);
    expect(offsetMinutes(kabul, new Date('2026-07-15T00:00:00Z'))).toBe(270);
  });

  test('R3: its day begins at 19:30 UTC of the day before', () => {
    expect(localDateIn(kabul, new Date('2026-03-20T19:29:59.999Z'))).toBe('2026-03-20');
    expect(localDateIn(kabul, new Date('2026-03-20T19:30:00Z'))).toBe('2026-03-21');
    expect(at('Asia/Kabul', '2026-03-21', '00:00')).toBe('2026-03-20T19:30:00.000Z');
    expect(at('Asia/Kabul', '2026-03-21', '14:00')).toBe('2026-03-21T09:30:00.000Z');
  });
});

describe('daylight saving', () => {
  test('a time that is skipped moves forward by the gap', () => {
    // Berlin 2026-03-29: 02:00 CET becomes 03:00 CEST.
    expect(at('Europe/Berlin', '2026-03-29', '01:59')).toBe('2026-03-29T00:59:00.000Z');
    expect(at('Europe/Berlin', '2026-03-29', '02:30')).toBe('2026-03-29T01:30:00.000Z');
    expect(at('Europe/Berlin', '2026-03-29', '03:30')).toBe('2026-03-29T01:30:00.000Z');
    // Los Angeles 2026-03-08, and Lord Howe 2026-10-04 with its gap of half an hour.
    expect(at('America/Los_Angeles', '2026-03-08', '02:30')).toBe('2026-03-08T10:30:00.000Z');
    expect(at('Australia/Lord_Howe', '2026-10-04', '02:15')).toBe('2026-10-03T15:45:00.000Z');
  });

  test('a time that happens twice means the first', () => {
    // Berlin 2026-10-25: 03:00 CEST becomes 02:00 CET, so 02:30 is 00:30Z and again 01:30Z.
    expect(at('Europe/Berlin', '2026-10-25', '02:30')).toBe('2026-10-25T00:30:00.000Z');
    expect(at('Europe/Berlin', '2026-10-25', '03:00')).toBe('2026-10-25T02:00:00.000Z');
    expect(at('America/Los_Angeles', '2026-11-01', '01:30')).toBe('2026-11-01T08:30:00.000Z');
  });

  test('a midnight that is skipped is the first moment of its day', () => {
    // Beirut 2026-03-29 begins at 01:00.
    const midnight = instantAt(parseZone('Asia/Beirut'), parseLocalDate('2026-03-29'), '00:00');
    expect(midnight.toISOString()).toBe('2026-03-28T22:00:00.000Z');
    expect(localDateIn(parseZone('Asia/Beirut'), midnight)).toBe('2026-03-29');
    expect(localDateIn(parseZone('Asia/Beirut'), new Date(midnight.getTime() - 1))).toBe('2026-03-28');
  });

  test('a day that a zone left out moves to the next one', () => {
    // Samoa crossed the date line: there was no 2011-12-30.
    expect(at('Pacific/Apia', '2011-12-30', '12:00')).toBe(at('Pacific/Apia', '2011-12-31', '12:00'));
  });

  test('the offset follows the season', () => {
    expect(offsetMinutes(berlin, new Date('2026-03-29T00:59:59Z'))).toBe(60);
    expect(offsetMinutes(berlin, new Date('2026-03-29T01:00:00Z'))).toBe(120);
    expect(offsetMinutes(parseZone('America/St_Johns'), new Date('2026-01-01T00:00:00Z'))).toBe(-210);
  });
});

describe('laws', () => {
  const anyZone = fc.constantFrom('Asia/Kabul', 'Asia/Tehran', 'Europe/Berlin', 'America/Los_Angeles', 'UTC');
  const anyMinute = fc
    .integer({ min: Date.parse('1990-01-01') / 60_000, max: Date.parse('2080-01-01') / 60_000 })
    .map(minute => new Date(minute * 60_000));

  test('a local time names its instant, or the first one when it comes twice', () => {
    fc.assert(
      fc.property(anyZone.map(parseZone), anyMinute, (zone, instant) => {
        const wall = new Date(instant.getTime() + offsetMinutes(zone, instant) * 60_000).toISOString();
        expect(localDateIn(zone, instant)).toBe(wall.slice(0, 10));
        const again = instantAt(zone, parseLocalDate(wall.slice(0, 10)), wall.slice(11, 16)).getTime();
        expect([0, 60 * 60_000]).toContain(instant.getTime() - again);
      }),
    );
  });

  test('X-156: a device offset is minutes east, -720 to 840, and agrees with a zone of that offset', () => {
    fc.assert(
      fc.property(anyMinute, instant => {
        expect(localDateAtOffset(270, instant)).toBe(localDateIn(kabul, instant));
        expect(localDateAtOffset(0, instant)).toBe(instant.toISOString().slice(0, 10));
      }),
    );
    expect(localDateAtOffset(840, new Date('2026-01-01T10:00:00Z'))).toBe('2026-01-02');
    expect(localDateAtOffset(-720, new Date('2026-01-01T11:59:00Z'))).toBe('2025-12-31');
    for (const wrong of [-721, 841, 0.5, Number.NaN]) {
      expect(() => localDateAtOffset(wrong, new Date(0))).toThrow(unknownZone);
    }
  });
});

describe('bad input', () => {
  test.each(['24:00', '14', '14:60', '1:00', '14:00:00', '14.00', '', ' 14:00', '14:00\n', '۱۴:۰۰'])(
    'time %j is refused',
    time => {
      expect(() => instantAt(kabul, parseLocalDate('2026-01-01'), time)).toThrow(malformedTime);
    },
  );

  test('an invalid Date is no instant', () => {
    const invalid = new Date(Number.NaN);
    for (const work of [localDateIn, offsetMinutes])
      expect(() => work(kabul, invalid)).toThrow(malformedTime);
    expect(() => localDateAtOffset(0, invalid)).toThrow(malformedTime);
    expect(() => formatInZone(kabul, invalid, 'en')).toThrow(malformedTime);
  });
});

describe('deadlines for guests', () => {
  test('R6: are told in the zone of the house, with its name', () => {
    const deadline = new Date('2026-03-20T13:30:00Z'); // 18:00 in Herat, 22:30 in Tokyo
    const english = formatInZone(kabul, deadline, 'en');
    expect(english).toContain('18:00');
    expect(english).toContain('March 20, 2026');
    expect(english).toContain('Afghanistan Time');
    const dari = formatInZone(kabul, deadline, 'fa-AF');
    expect(dari).toContain('۱۸:۰۰');
    expect(dari).toContain('افغانستان');
  });
});
