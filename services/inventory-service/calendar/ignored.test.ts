import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DEFAULT_IGNORED, isIgnored } from './ignored.ts';

test.each([
  ['Airbnb (Not available)', true],
  ['Not available', true],
  ['  not   AVAILABLE ', true],
  ['CLOSED', true],
  ['Blocked', true],
  ['Reserved', false],
  ['Reserved - Not available tomorrow', false],
  // Booking.com writes this on bookings too: taking it for a closed window would sell the room twice.
  ['CLOSED - Not available', false],
  ['', false],
])('R13: "%s" is ignored by default: %s', (summary, expected) => {
  expect(isIgnored(summary, DEFAULT_IGNORED)).toBe(expected);
});

test.each([
  ['CLOSED*', 'closed - not available', true],
  ['*not available*', 'Airbnb (Not available)', true],
  ['*', 'anything', true],
  ['a*b*c', 'a-b-b-c', true],
  ['a*b*c', 'a-c-b', false],
  ['aa*aa', 'aaa', false],
  ['(a+)+$', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaa!', false],
])('the pattern %s on "%s": %s', (pattern, summary, expected) => {
  expect(isIgnored(summary, [pattern])).toBe(expected);
});

test('a pattern without a star is a summary, and cutting the middle out for a star still fits', () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 20 }).filter(one => !one.includes('*'));
  fc.assert(
    fc.property(text, fc.nat(20), fc.nat(20), (summary, from, length) => {
      expect(isIgnored(summary, [summary])).toBe(true);
      const clean = summary.normalize('NFKC').replaceAll(/\s+/g, ' ').trim().toLowerCase();
      const pattern = `${clean.slice(0, from)}*${clean.slice(from + length)}`;
      fc.pre(pattern.replaceAll(/\s+/g, ' ').trim() === pattern && pattern.normalize('NFKC') === pattern);
      expect(isIgnored(summary, [pattern])).toBe(true);
    }),
  );
});
