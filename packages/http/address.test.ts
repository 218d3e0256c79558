import { expect, test } from 'vitest';
import { addressUnit, isLoopback } from './address.ts';

test.each([
  ['203.0.113.7', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::9', '2001:db8:1:2::/64'],
  ['2001:0db8:0001:0002::1', '2001:db8:1:2::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
])('%s is limited as %s', (address, unit) => {
  expect(addressUnit(address)).toBe(unit);
});

test('loopback is this machine in every spelling and nothing else', () => {
  expect(['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1'].every(isLoopback)).toBe(true);
  expect(
    ['10.0.0.1', '128.0.0.1', '::2', '::ffff:10.0.0.1', '', 'localhost', undefined].some(isLoopback),
  ).toBe(false);
});
