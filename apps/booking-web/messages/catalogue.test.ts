import { describe, expect, test } from 'vitest';
import { eraNames, monthNames, shortWeekdays, weekdayNames } from './calendar-names.ts';
import { catalogue, fill } from './catalogue.ts';
import { locales, type TextKey } from './text-keys.ts';

const placesIn = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).toSorted();
const keys = Object.keys(catalogue.en) as TextKey[];

describe('the catalogue', () => {
  test('every language has exactly the keys of English', () => {
    expect(keys.length).toBeGreaterThan(200);
    for (const locale of locales) expect(Object.keys(catalogue[locale])).toEqual(keys);
  });

  test.each(locales)('every text of %s takes the values that the English one takes', locale => {
    for (const key of keys) {
      const text = catalogue[locale][key];
      expect([key, placesIn(text)]).toEqual([key, placesIn(catalogue.en[key])]);
      expect(text.trim()).toBe(text);
      expect(text).not.toBe('');
    }
  });

  test('nothing was left in English', () => {
    const mayHaveLatin = new Set<TextKey>(['grid.help']);
    for (const locale of ['ps', 'fa-AF'] as const) {
      for (const key of keys) {
        const plain = catalogue[locale][key].replace(/\{\w+\}/g, '');
        if (!mayHaveLatin.has(key)) expect([key, /[A-Za-z]/.test(plain)]).toEqual([key, false]);
      }
    }
  });

  test('Pashto is Pashto and Dari is Dari: each has its own letters and not those of the other', () => {
    const all = (locale: 'ps' | 'fa-AF') => Object.values(catalogue[locale]).join(' ');
    expect(all('ps')).toMatch(/[ښړډټږځڅۍې]/);
    expect(all('fa-AF')).not.toMatch(/[ښړډټږځڅۍې]/);
    // Arabic yeh and kaf break search and look foreign in both
    for (const locale of ['ps', 'fa-AF'] as const) expect(all(locale)).not.toMatch(/ك/);
  });

  test('each calendar has twelve months and seven days in every language', () => {
    for (const locale of locales) {
      for (const names of Object.values(monthNames[locale])) expect(new Set(names).size).toBe(12);
      expect(new Set(weekdayNames[locale]).size).toBe(7);
      expect(new Set(shortWeekdays[locale]).size).toBe(7);
      expect(eraNames[locale]).not.toBe('');
    }
    expect(monthNames['fa-AF']['solar-hijri'][0]).toBe('حمل');
    expect(monthNames.ps['solar-hijri'][0]).toBe('وری');
  });

  test('a text without its value is a mistake, and values are not templates', () => {
    expect(fill('{a} to {b}', { a: '{b}', b: 'x' })).toBe('{b} to x');
    expect(() => fill('{a}', {})).toThrow(TypeError);
  });
});
