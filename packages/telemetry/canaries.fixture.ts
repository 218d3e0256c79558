import fc from 'fast-check';
import { passesLuhn } from './scrub-digits.ts';

/** A piece of personal data for tests, as it stands in a text, and the parts of it that must never be seen. */
export type Canary = { readonly text: string; readonly traces: readonly string[] };

// Without v and w no random word is a secret name by chance (jwt, pwd, cvv), which would keep the name and hide the rest.
const alphanumeric = 'abcdefghijkmnpqrstuxyz23456789';
const word = (minLength: number) =>
  fc.string({ unit: fc.constantFrom(...alphanumeric), minLength, maxLength: minLength + 8 });
const digits = (length: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: length, maxLength: length });

const email: fc.Arbitrary<Canary> = fc
  .tuple(
    word(8),
    fc.string({ unit: fc.constantFrom(...`!#$&'*+-/=?^_\`{|}~.${alphanumeric}`), maxLength: 6 }),
    fc.constantFrom('example.com', 'mail.hotel.af', 'xn--mgb.example', 'پست.ایران', 'localhost'),
    fc.constantFrom('@', '%40'),
  )
  .map(([start, odd, domain, at]) => ({ text: `${start}${odd}z${at}${domain}`, traces: [start] }));

const phone: fc.Arbitrary<Canary> = fc
  .tuple(
    digits(7),
    fc.constantFrom('+93 70 ', '+9370', '0093 70 ', '070', '070 ', '+93-(70)-', '+1 4', '9370', '+۹۳ ۷۰ '),
    fc.constantFrom('', ' ', '-'),
  )
  .map(([rest, prefix, gap]) => ({
    text: prefix + (prefix === '9370' ? rest : `${rest.slice(0, 3)}${gap}${rest.slice(3)}`),
    traces: [rest.slice(0, 3) + gap + rest.slice(3), rest],
  }));

const card: fc.Arbitrary<Canary> = fc
  .tuple(
    fc.constantFrom('4', '51', '2221', '2200', '6212', '8600', '9860', '37'),
    digits(15),
    fc.constantFrom('', ' ', '-'),
  )
  .map(([issuer, random, gap]) => {
    const body = (issuer + random).slice(0, issuer === '37' ? 14 : 15);
    const check = [...'0123456789'].find(digit => passesLuhn(body + digit));
    const pan = `${body}${check}`;
    const text = pan.replace(/\d{4}(?=\d)/g, group => group + gap);
    return { text, traces: [pan, text] };
  });

const jwt: fc.Arbitrary<Canary> = fc.tuple(word(12), word(24)).map(([subject, signature]) => {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const payload = encode({ sub: subject, aud: 'backoffice' });
  return {
    text: `${encode({ alg: 'ES256', typ: 'JWT' })}.${payload}.${signature}`,
    traces: [payload, signature],
  };
});

const totpSeed: fc.Arbitrary<Canary> = fc
  .string({ unit: fc.constantFrom(...'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'), minLength: 15, maxLength: 31 })
  .map(start => ({ text: `${start}7`, traces: [`${start}7`] }));

const labelled: fc.Arbitrary<Canary> = fc
  .tuple(
    fc.constantFrom(
      'password=',
      'refresh_token: ',
      'Authorization: Bearer ',
      '"secret":"',
      '?token=',
      'cookie: a=',
      'passport P',
    ),
    digits(6),
    word(10),
  )
  .map(([label, number, value]) => ({ text: `${label}${number}${value}`, traces: [value] }));

/** Personal data and secrets that the text alone gives away. */
export const canaryInText: fc.Arbitrary<Canary> = fc.oneof(email, phone, card, jwt, totpSeed, labelled);

/** A secret that only its key gives away. */
export const canaryValue: fc.Arbitrary<string> = word(10).map(random => `canary${random}`);

/** Keys under which nothing may be written. */
export const secretKey: fc.Arbitrary<string> = fc.constantFrom(
  'password',
  'newPassword',
  'PASSWORD_HASH',
  'access_token',
  'refreshToken',
  'Authorization',
  'cookie',
  'set-cookie',
  'totpSecret',
  'totp',
  'x-api-key',
  'email',
  'guestEmail',
  'phone',
  'mobile_phone',
  'passport',
  'passportNumber',
  'pan',
  'cardNumber',
  'cvv',
  'tazkira',
  'date_of_birth',
);
