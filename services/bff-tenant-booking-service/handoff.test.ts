import { newId } from '@ghasi/domain-primitives/ids';
import { newTenantId } from '@ghasi/testing/tenants';
import { expect, test } from 'vitest';
import { fingerprintOf, type Handoff, MINT_WINDOW_MS, readHandoff, signHandoff } from './handoff.ts';

const now = new Date('2026-03-21T08:00:00Z');
const tenantId = newTenantId();
const later = (ms: number) => new Date(now.getTime() + ms).toISOString();
const handoff: Handoff = {
  audience: 'tenant-booking',
  handoffId: newId('bha'),
  tenantId,
  consumerSessionId: 'consumer-1',
  propertyId: newId('pro'),
  arrival: '2026-04-01',
  departure: '2026-04-03',
  adults: 2,
  children: 0,
  rooms: 1,
  roomTypeId: newId('rty'),
  ratePlanId: newId('rpl'),
  mintedAt: later(0),
  expiresAt: later(MINT_WINDOW_MS),
};
const key = { keyId: 'h1', key: 'key of the consumer site' };
const where = { keys: new Map([['h1', key.key]]), tenantId, now };
const signed = signHandoff(handoff, key);

test('TB-57: what the consumer site signed is read as it was said', () => {
  expect(readHandoff(signed, where)).toEqual(handoff);
});

test('safety-23: flipping any one byte of payload, signature or key id fails', () => {
  for (const part of ['payload', 'signature', 'keyId'] as const) {
    const text = signed[part];
    for (let place = 0; place < text.length; place += 1) {
      const flipped = `${text.slice(0, place)}${text[place] === 'x' ? 'y' : 'x'}${text.slice(place + 1)}`;
      expect(() => readHandoff({ ...signed, [part]: flipped }, where)).toThrow('not made for this hotel');
    }
  }
});

test('safety-23: it is for one tenant, one audience, and its own time', () => {
  expect(() => readHandoff(signed, { ...where, tenantId: newTenantId() })).toThrow('not made for this hotel');
  const over = { ...where, now: new Date(later(MINT_WINDOW_MS)) };
  expect(() => readHandoff(signed, over)).toThrow('too old');
  const as = (change: object) => signHandoff({ ...handoff, ...change } as Handoff, key);
  for (const change of [
    { audience: 'backoffice' },
    { expiresAt: later(MINT_WINDOW_MS + 1) },
    { mintedAt: later(3_600_000), expiresAt: later(3_660_000) },
    { price: '1' },
    { adults: 0 },
  ])
    expect(() => readHandoff(as(change), where)).toThrow('not made for this hotel');
});

test('X-146: the log knows a signature by its fingerprint, which cannot be used', () => {
  expect(fingerprintOf(signed.signature)).toMatch(/^[0-9a-f]{64}$/);
  expect(fingerprintOf(signed.signature)).not.toContain(signed.signature);
});
