import { createHash, randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** The fields of a form: the first value of each name, or ''. */
export type Fields = { get(name: string): string; has(name: string): boolean };

const MAX_FIELDS = 60;

/** Reads form fields or a query; nothing here is trusted yet. */
export function fieldsOf(text: string): Fields {
  const values = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(text)) {
    if (values.size >= MAX_FIELDS) break;
    if (!values.has(name)) values.set(name, value);
  }
  return { get: name => values.get(name) ?? '', has: name => values.has(name) };
}

/** A key for the forms of one page; sending one of them twice is sending it once. */
export function newFormKey(): string {
  return randomUUID();
}

/**
 * The Idempotency-Key of what a form asks for: the same page with the same values gives the same key (double click,
 * back button, reload), other values another one, so that a corrected form is no conflict. UUID version 8.
 */
export function requestKey(formKey: string, request: unknown): string {
  const digest = createHash('sha256')
    .update(`${formKey}\n${JSON.stringify(request)}`)
    .digest();
  digest[6] = ((digest[6] ?? 0) & 0x0f) | 0x80;
  digest[8] = ((digest[8] ?? 0) & 0x3f) | 0x80;
  const hex = digest.toString('hex', 0, 16);
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

/** True when a browser says that one of our own pages sent this form (safety rule 32). */
export function isFromOwnPage(headers: IncomingHttpHeaders, host: string): boolean {
  const { origin } = headers;
  if (origin !== undefined) return URL.canParse(origin) && new URL(origin).host === host.toLowerCase();
  const site = headers['sec-fetch-site'];
  return site === undefined || site === 'same-origin' || site === 'none';
}

/** Digits of any keyboard as Latin ones, other signs of a phone number gone. */
export function latinDigits(text: string): string {
  return text.replace(/[\u06f0-\u06f9\u0660-\u0669]/g, digit => String((digit.codePointAt(0) ?? 0) & 0xf));
}

// Where a number without + belongs, by the country of the house.
const callingCodes: Readonly<Record<string, string>> = {
  AF: '93',
  PK: '92',
  IR: '98',
  IN: '91',
  TJ: '992',
  UZ: '998',
  TM: '993',
  AE: '971',
  TR: '90',
  QA: '974',
  SA: '966',
};

/** A phone number as people write it, 0700 123 456, as +93700123456; undefined when it cannot be one. */
export function phoneOf(text: string, country: string): string | undefined {
  const written = latinDigits(text).replace(/[\s().\u200c\u200e\u200f\u2066-\u2069-]/g, '');
  const code = callingCodes[country];
  const full = written.startsWith('00')
    ? `+${written.slice(2)}`
    : written.startsWith('0') && code !== undefined
      ? `+${code}${written.slice(1)}`
      : written;
  return /^\+[1-9][0-9]{6,14}$/.test(full) ? full : undefined;
}

/** How a number looks in this country, for hints. */
export function phoneExample(country: string): string {
  return `+${callingCodes[country] ?? '93'} 700 123 456`;
}
