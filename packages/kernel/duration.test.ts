import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { days, hours, minutes, parseDuration, seconds } from './duration.ts';
import { coreErrors } from './errors.ts';

describe('durations', () => {
  test('are milliseconds', () => {
    expect(seconds(10)).toBe(10_000);
    expect(minutes(15)).toBe(900_000);
    expect(hours(12)).toBe(43_200_000);
    expect(days(30)).toBe(2_592_000_000);
  });

  test('fractions are rounded to whole milliseconds', () => {
    expect(seconds(0.25)).toBe(250);
    expect(seconds(2.3)).toBe(2_300);
    expect(minutes(1 / 7)).toBe(8_571);
    expect(minutes(1 / 9)).toBe(6_667);
  });

  test.each([
    ['500ms', 500],
    ['0s', 0],
    ['10s', 10_000],
    ['15m', 900_000],
    ['12h', 43_200_000],
    ['30d', 2_592_000_000],
  ])('%s is %i ms', (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });

  test('text of every unit agrees with its function', () => {
    fc.assert(
      fc.property(fc.nat({ max: 100_000 }), count => {
        expect(parseDuration(`${count}s`)).toBe(seconds(count));
        expect(parseDuration(`${count}m`)).toBe(minutes(count));
        expect(parseDuration(`${count}h`)).toBe(hours(count));
        expect(parseDuration(`${count}d`)).toBe(days(count));
      }),
    );
  });

  test.each([
    '',
    '10',
    's',
    '10 s',
    '-1s',
    '1.5s',
    '01s',
    '10S',
    '1h30m',
    '1e3s',
    '10s\n',
    '999999999999999d',
  ])('refuses %j', text => {
    expect(() => parseDuration(text)).toThrow(expect.toSatisfy(coreErrors.MALFORMED_DURATION.is));
  });

  test.each([Number.NaN, Number.POSITIVE_INFINITY, 1e300])('refuses %d seconds', count => {
    expect(() => seconds(count)).toThrow(expect.toSatisfy(coreErrors.MALFORMED_DURATION.is));
  });
});
