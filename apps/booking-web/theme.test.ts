import fc from 'fast-check';
import { expect, test } from 'vitest';
import { colourOf, letters, themeStyle } from './theme.ts';

test('the tokens of a hotel become custom properties', () => {
  const style = themeStyle(
    [
      { name: 'colour.primary', value: '#8c1c2b' },
      { name: 'font.heading', value: 'Noto Naskh Arabic' },
      { name: 'radius.card', value: '16px' },
    ],
    'bm9uY2U=',
  );
  expect(style.toString()).toBe(
    '<style nonce="bm9uY2U=">:root{--colour-primary:#8c1c2b;--font-heading:"Noto Naskh Arabic";--radius-card:16px}</style>',
  );
});

test('safety-35: no token can say more than its value', () => {
  fc.assert(
    fc.property(fc.string(), fc.string({ unit: 'binary' }), (name, value) => {
      expect(themeStyle([{ name, value }], 'n').toString()).toBe('<style nonce="n">:root{}</style>');
    }),
  );
  for (const value of ['red', '#fff', '#ffffff;}</style><script>', '#ffffff}body{display:none']) {
    expect(colourOf([{ name: 'colour.primary', value }], 'colour.primary', '#000000')).toBe('#000000');
  }
  expect(() => themeStyle([], '"><script>')).toThrow(TypeError);
});

test('the address of a font cannot end its style element', () => {
  expect(String(letters('/assets/booking/vazirmatn-abc.woff2', 'bm9uY2U='))).toContain('url(/assets/');
  for (const wrong of ['x)}</style>', 'https://elsewhere/x.woff2', ''])
    expect(() => letters(wrong, 'bm9uY2U=')).toThrow(TypeError);
});
