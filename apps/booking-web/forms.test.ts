import { isUuid } from '@ghasi/domain-primitives/uuid';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fieldsOf, isFromOwnPage, newFormKey, phoneOf, requestKey } from './forms.ts';

describe('forms', () => {
  test.each([
    ['0700 123 456', 'AF', '+93700123456'],
    ['۰۷۰۰ ۱۲۳ ۴۵۶', 'AF', '+93700123456'],
    ['+93 (700) 123-456', 'AF', '+93700123456'],
    ['0093700123456', 'PK', '+93700123456'],
    ['٠٣٠٠١٢٣٤٥٦٧', 'PK', '+923001234567'],
    ['0700123456', 'XX', undefined],
    ['12', 'AF', undefined],
    ['call me', 'AF', undefined],
    ['', 'AF', undefined],
  ])('the phone number %s of a guest in %s is %s', (text, country, phone) => {
    expect(phoneOf(text, country)).toBe(phone);
  });

  test('the same form with the same values is the same request; anything else is another one', () => {
    fc.assert(
      fc.property(fc.uuid(), fc.jsonValue(), fc.jsonValue(), (key, one, other) => {
        expect(isUuid(requestKey(key, one))).toBe(true);
        expect(requestKey(key, one)).toBe(requestKey(key, structuredClone(one)));
        if (JSON.stringify(one) !== JSON.stringify(other))
          expect(requestKey(key, one)).not.toBe(requestKey(key, other));
        expect(requestKey(key, one)).not.toBe(requestKey(newFormKey(), one));
      }),
    );
  });

  test('safety-32: a form of another site is refused, whatever the browser tells', () => {
    const host = 'hotel.example';
    expect(isFromOwnPage({ origin: 'https://hotel.example' }, host)).toBe(true);
    expect(isFromOwnPage({ 'sec-fetch-site': 'same-origin' }, host)).toBe(true);
    expect(isFromOwnPage({}, host)).toBe(true); // no browser, no cookies of a victim
    for (const origin of ['https://evil.example', 'null', '', 'https://hotel.example.evil.example']) {
      expect(isFromOwnPage({ origin }, host)).toBe(false);
    }
    for (const site of ['cross-site', 'same-site'])
      expect(isFromOwnPage({ 'sec-fetch-site': site }, host)).toBe(false);
  });

  test('fields are the first values, and a flood of names is cut off', () => {
    expect(fieldsOf('a=1&a=2&b=%D8%A7+x').get('a')).toBe('1');
    expect(fieldsOf('a=1&a=2&b=%D8%A7+x').get('b')).toBe('ا x');
    expect(fieldsOf('').get('a')).toBe('');
    const flood = Array.from({ length: 1_000 }, (_, n) => `f${n}=1`).join('&');
    expect(fieldsOf(flood).has('f999')).toBe(false);
    expect(fieldsOf('__proto__=1').get('__proto__')).toBe('1');
  });
});
