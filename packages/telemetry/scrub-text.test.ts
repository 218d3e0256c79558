import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canaryInText } from './canaries.fixture.ts';
import { passesLuhn } from './scrub-digits.ts';
import { scrubText } from './scrub-text.ts';

describe('what is taken out of a text', () => {
  test.each([
    ['an e-mail address', 'mail to ali.khan+x@hotel.af today', 'mail to [redacted] today'],
    ['an address in a URL', 'GET /reset?to=ali%40hotel.af HTTP', 'GET [redacted] HTTP'],
    ['a quoted address', 'from "ali khan"@hotel.af', 'from [redacted]'],
    ['an international number', 'call +93 70 123 4567 now', 'call [redacted] now'],
    ['a number with 00', 'call 0093701234567 now', 'call [redacted] now'],
    ['a national number', 'tel:0701234567', 'tel:[redacted]'],
    ['a number in Persian digits', 'تلفن ۰۷۰۱۲۳۴۵۶۷', 'تلفن [redacted]'],
    ['a card', 'paid with 4111111111111111.', 'paid with [redacted].'],
    ['a grouped card after a room number', 'room 101 4111 1111 1111 1111', 'room 101 [redacted]'],
    ['a card glued to other digits', 'ref 994111111111111111', 'ref 99[redacted]'],
    ['a bearer token', 'sent Bearer abc.def-ghi123', 'sent Bearer [redacted]'],
    [
      'a connection URL',
      'cannot reach postgres://app:s3cret@db:5432/melm',
      'cannot reach postgres://[redacted]@db:5432/melm',
    ],
    ['a query parameter', '/join?token=abc123&lang=fa', '/join?token=[redacted]&lang=fa'],
    ['a JSON text', 'body {"password":"a\\"b c","room":1}', 'body {"password":[redacted]","room":1}'],
    ['a whole cookie header', 'Cookie: a=1; b=2', 'Cookie: [redacted]'],
    ['a TOTP link', 'scan otpauth://totp/x?secret=JBSWY3DPEHPK3PXP', 'scan [redacted]'],
    ['a passport number', 'Passport no. P1234567 expired', 'Passport [redacted] expired'],
    ['a value PostgreSQL repeats', 'Key (email)=(ali) already exists.', 'Key (email)=([redacted])'],
    ['a row PostgreSQL repeats', 'Failing row contains (1, ali, null).', 'Failing row contains [redacted]'],
  ])('safety-45: %s', (_what, text, expected) => {
    expect(scrubText(text)).toBe(expected);
  });

  test.each([
    'request completed in 12.5 ms with 201',
    'relay published 1000 of 1731700000000',
    'reservation rsv_01J8ZQ4T1N3M5K7P9R2S4V6W8X is held until 2025-11-15T12:00:00.000Z',
    'tenant 0192f3a1-7b2c-7def-8abc-0123456789ab has 20 rooms',
    'at run (file:///srv/node_modules/@scope/name/index.js:10:5)',
    'at run (/srv/.pnpm/pino@10.4.0/node_modules/pino/pino.js:10:5)',
    'stay 2025-11-15 to 2025-11-20, total AFN 1250000',
    'زبان فارسی می‌شود',
    'MELMASTOON.IAM.DEVICE_REVOKED',
  ])('leaves "%s" as it is', text => {
    expect(scrubText(text)).toBe(text);
  });

  test('safety-16: every card number that passes Luhn is found, in every grouping and place', () => {
    const digit = fc.constantFrom(...'0123456789');
    const body = fc.string({ unit: digit, minLength: 11, maxLength: 17 });
    fc.assert(
      fc.property(fc.constantFrom(...'23456789'), body, fc.constantFrom('', ' ', '-'), (first, rest, gap) => {
        const check = [...'0123456789'].find(candidate => passesLuhn(first + rest + candidate));
        const pan = first + rest + check;
        const text = pan.replace(/\d{4}(?=\d)/g, group => group + gap);
        expect(scrubText(`card ${text} refused`)).toBe('card [redacted] refused');
      }),
    );
  });
});

describe('what makes a text harmless', () => {
  test('safety-39: line breaks, terminal codes and marks that reorder text become visible', () => {
    const text = 'ok\r\n{"level":"info"}\u001b[2J\u009b31m\u2028\u202e\u0000\t';
    expect(scrubText(text)).toBe('ok\\r\\n{"level":"info"}\\u001b[2J\\u009b31m\\u2028\\u202e\\u0000\\t');
  });

  test('safety-39: no control character survives any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), text => {
        expect(scrubText(text)).not.toMatch(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u);
      }),
    );
  });

  test('a long text is cut, and the cut cannot leave half a secret', () => {
    fc.assert(
      fc.property(canaryInText, fc.integer({ min: 0, max: 40 }), ({ text, traces }, before) => {
        const clean = scrubText(`${' '.repeat(8_192 - before)}${text} ${'x'.repeat(2_000)}`);
        expect(clean.length).toBeLessThan(8_300);
        for (const trace of traces) expect(clean).not.toContain(trace.slice(0, 6));
      }),
    );
  });

  test('scrubbing a scrubbed text changes nothing', () => {
    fc.assert(
      fc.property(canaryInText, fc.string(), ({ text }, around) => {
        const once = scrubText(`${around} ${text} ${around}`);
        expect(scrubText(once)).toBe(once);
      }),
    );
  });
});
