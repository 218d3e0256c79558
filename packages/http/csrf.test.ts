import { expect, test } from 'vitest';
import { refuseCrossSite } from './csrf.ts';
import { httpErrors } from './errors.ts';

const host = 'desk.example:8443';
const allowed = new Set(['https://booking.example']);
const outcome = (headers: Record<string, string>) => {
  try {
    refuseCrossSite(headers, host, allowed);
    return 'passes';
  } catch (error) {
    return httpErrors.CROSS_SITE_REQUEST.is(error) ? 'refused' : error;
  }
};

test.each([
  [{}, 'passes'],
  [{ origin: 'https://desk.example:8443' }, 'passes'],
  [{ origin: 'http://desk.example:8443' }, 'passes'],
  [{ origin: 'https://booking.example', 'sec-fetch-site': 'cross-site' }, 'passes'],
  [{ 'sec-fetch-site': 'same-origin' }, 'passes'],
  [{ 'sec-fetch-site': 'none' }, 'passes'],
  [{ origin: 'https://evil.example' }, 'refused'],
  [{ origin: 'https://desk.example' }, 'refused'],
  [{ origin: 'https://desk.example:8443.evil.example' }, 'refused'],
  [{ origin: 'https://booking.example.evil.example' }, 'refused'],
  [{ origin: 'null' }, 'refused'],
  [{ origin: '' }, 'refused'],
  [{ origin: 'file://desk.example:8443' }, 'refused'],
  [{ 'sec-fetch-site': 'cross-site' }, 'refused'],
  [{ 'sec-fetch-site': 'same-site' }, 'refused'],
])('safety-32: a state-changing request with %j %s', (headers, expected) => {
  expect(outcome(headers)).toBe(expected);
});
