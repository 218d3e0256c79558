import { createRequire } from 'node:module';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { PASSWORD_MAX, whyRefused } from './password-rules.ts';

const about = { email: 'amina.wardak@hotel.af', name: 'Amina Wardak' };

test('safety-46: each of the 3,000 most used passwords of at least 8 characters is refused', () => {
  const list: string[] = createRequire(import.meta.url)('@zxcvbn-ts/language-common/src/passwords.json');
  const top = list.filter(entry => entry.length >= 8).slice(0, 3_000);
  expect(top).toHaveLength(3_000);
  expect(top.slice(0, 3)).toEqual(['password', '12345678', '123456789']);
  for (const password of top) expect(whyRefused(password, about)).toMatch(/most used/);
});

test.each([
  ['1234567', /fewer than 8/],
  ['ﬁ'.repeat(3), /fewer than 8/], // a ligature is two letters, not eight
  ['x'.repeat(PASSWORD_MAX + 1), /more than/],
  ['amina.wardak2026', /your name/],
  ['Amina Wardak!!', /your name/],
  ['AMINA.WARDAK@HOTEL.AF', /your name/],
  ['melmastoon1234', /your name/],
])('"%s" is refused', (password, reason) => {
  expect(whyRefused(password, about)).toMatch(reason);
});

test.each([
  'a quiet valley',
  'amina loves the quiet valley',
  '        x',
  'ملمستون ښه ده',
  '🦅🦅🦅🦅🦅🦅🦅🦅',
])('"%s" is accepted', password => {
  expect(whyRefused(password, about)).toBeUndefined();
});

test('random text of 12 and more characters is accepted, whatever characters it is made of', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 12, maxLength: 200 }), text => {
      if (text.normalize('NFKC').length < 12) return;
      expect(whyRefused(text, about)).toBeUndefined();
    }),
  );
});
