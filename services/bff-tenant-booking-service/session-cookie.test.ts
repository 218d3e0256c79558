import { days } from '@ghasi/domain-primitives/duration';
import { newId } from '@ghasi/domain-primitives/ids';
import { newTenantId } from '@ghasi/testing/tenants';
import { expect, test } from 'vitest';
import { SESSION_COOKIE, sessionCookies } from './session-cookie.ts';

const cookies = sessionCookies('a key of this test');
const [tenantId, sessionId] = [newTenantId(), newId('tnt')];
const now = new Date('2026-03-21T08:00:00Z');
const after = (ms: number) => new Date(now.getTime() + ms);
const { value, ...cookie } = cookies.issue(tenantId, sessionId, now);

test('TB-06: a session is named by its cookie for 30 days, and the cookie is written anew once a day', () => {
  expect(cookie).toMatchObject({ name: SESSION_COOKIE, maxAgeSeconds: 30 * 86_400, sameSite: 'lax' });
  expect(cookies.read(tenantId, value, now)).toEqual({ sessionId, isOld: false });
  expect(cookies.read(tenantId, value, after(days(2)))).toEqual({ sessionId, isOld: true });
  expect(cookies.read(tenantId, value, after(days(31)))).toBeUndefined();
});

test('safety-17: a session of one tenant is nobody at another', () => {
  expect(cookies.read(newTenantId(), value, now)).toBeUndefined();
});

test('safety-17: no other text is a session: any changed letter, another key, nothing at all', () => {
  for (let place = 0; place < value.length; place += 1) {
    const changed = `${value.slice(0, place)}${value[place] === 'A' ? 'B' : 'A'}${value.slice(place + 1)}`;
    expect(cookies.read(tenantId, changed, now), changed).toBeUndefined();
  }
  expect(sessionCookies('another key').read(tenantId, value, now)).toBeUndefined();
  for (const text of [undefined, '', '.', '..', sessionId, `${value}.x`, `${value}x`, 'x'.repeat(5_000)])
    expect(cookies.read(tenantId, text, now)).toBeUndefined();
});
