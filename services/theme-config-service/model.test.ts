import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { TokenValues } from './contract/resources.ts';
import { fitsToken, type TokenName, tokenNames, tokenVocabulary } from './contract/tokens.ts';
import {
  changedTokens,
  contrast,
  contrastProblems,
  inLanguage,
  missingTokens,
  overlay,
  platformLook,
  siteBlocks,
} from './model.ts';

const colour = fc.integer({ min: 0, max: 0xffffff }).map(n => `#${n.toString(16).padStart(6, '0')}`);
const some: fc.Arbitrary<TokenValues> = fc
  .subarray(tokenNames)
  .chain(names => fc.tuple(...names.map(name => colour.map(value => ({ name, value })))));

test('contrast is WCAG’s: 21 for black on white, 1 for a colour on itself, the same both ways', () => {
  expect(contrast('#000000', '#ffffff')).toBeCloseTo(21, 10);
  // #767676 is the lightest grey that passes 4.5 on white, #949494 the lightest that passes 3.
  expect(contrast('#767676', '#ffffff')).toBeGreaterThanOrEqual(4.5);
  expect(contrast('#777777', '#ffffff')).toBeLessThan(4.5);
  expect(contrast('#949494', '#ffffff')).toBeGreaterThanOrEqual(3);
  expect(contrast('#959595', '#ffffff')).toBeLessThan(3);
  fc.assert(
    fc.property(colour, colour, (one, other) => {
      expect(contrast(one, one)).toBe(1);
      expect(contrast(one, other)).toBe(contrast(other, one));
      expect(contrast(one, other)).toBeGreaterThanOrEqual(1);
      expect(contrast(one, other)).toBeLessThanOrEqual(21.000_001);
    }),
  );
});

test('the platform’s own look is complete and can be read', () => {
  expect(missingTokens(platformLook)).toEqual([]);
  expect(contrastProblems(platformLook)).toEqual([]);
  for (const { name, value } of platformLook) expect(fitsToken(name, value)).toBe(true);
});

test('a pair of colours that is too alike is named', () => {
  const grey = overlay(platformLook, [{ name: 'colour.text', value: '#bbbbbb' }]);
  expect(contrastProblems(grey).map(({ front, back }) => [front, back])).toEqual([
    ['colour.text', 'colour.background'],
    ['colour.text', 'colour.surface'],
  ]);
});

test('EVT-17: laying tokens over a look keeps each once, the own ones first, and a second time changes nothing', () => {
  fc.assert(
    fc.property(some, some, (look, own) => {
      const seen = overlay(look, own);
      expect(new Set(seen.map(({ name }) => name)).size).toBe(seen.length);
      for (const token of own) expect(seen).toContainEqual(token);
      expect(overlay(seen, own)).toEqual(seen);
      expect(changedTokens(seen, overlay(look, own))).toEqual([]);
    }),
  );
});

test('EVT-17: a change names exactly what is new, different or gone', () => {
  fc.assert(
    fc.property(some, some, (before, after) => {
      const changed = changedTokens(before, after);
      const at = (list: TokenValues, name: TokenName) => list.find(one => one.name === name)?.value;
      for (const name of tokenNames)
        expect(changed.includes(name)).toBe(at(before, name) !== at(after, name));
    }),
  );
});

test.each([
  ['colour.primary', 'red'],
  ['colour.primary', '#1F6F5C'],
  ['colour.primary', '#123456;} body{display:none'],
  ['colour.primary', 'url(//evil.example/x)'],
  ['font.body', 'Comic Sans'],
  ['font.body', "Vazirmatn';@import 'x"],
  ['size.text', '9px'],
  ['size.text', '100vw'],
  ['radius.card', '-1px'],
  ['shadow.card', '0 2px 8px url(x)'],
  ['image.logo', 'https://evil.example/logo.svg'],
] as const)('safety-35: %s cannot be %s: a value is a value and no style sheet', (name, value) => {
  expect(fitsToken(name, value)).toBe(false);
});

test('no text with a line break, quote, bracket or semicolon fits any token', () => {
  fc.assert(
    fc.property(fc.constantFrom(...tokenNames), fc.string(), (name, text) => {
      if (/[;{}()'"\\\n<>/]/.test(text)) expect(fitsToken(name, text)).toBe(false);
    }),
  );
  expect(Object.values(tokenVocabulary)).toContain('image');
});

test('a text is shown in the language asked for, else in English, else in the one it has', () => {
  const [en, ps, dari] = [
    { locale: 'en' as const, text: 'tea' },
    { locale: 'ps' as const, text: 'چای' },
    { locale: 'fa-AF' as const, text: 'چای' },
  ];
  expect(inLanguage([en, ps], 'ps')).toEqual(ps);
  expect(inLanguage([ps, en], 'fa-AF')).toEqual(en);
  expect(inLanguage([dari], 'ps')).toEqual(dari);
});

test('in each place a property’s own texts are shown, and the tenant’s where it has none', () => {
  const block = (id: string, placement: 'home' | 'footer', position: number) => ({
    id: `cbk_${id}` as never,
    themeId: 'thm_1' as never,
    placement,
    position,
    status: 'published' as const,
    text: [{ locale: 'en' as const, text: id }],
    contentHash: '',
    version: 1,
  });
  const own = [block('c', 'home', 2), block('b', 'home', 1)];
  const general = [block('x', 'home', 0), block('a', 'footer', 9)];
  expect(siteBlocks(own, general, 'en').map(({ text }) => text)).toEqual(['b', 'c', 'a']);
});
