import { expect, test } from 'vitest';
import { whyNotFetched } from './fetch-calendar.ts';
import { isPublicAddress } from './public-address.ts';

test.each([
  ...['127.0.0.1', '127.8.8.8', '0.0.0.0', '10.1.2.3', '172.16.0.1', '172.31.255.255', '192.168.1.1'],
  ...[
    '169.254.169.254',
    '100.64.0.1',
    '100.127.255.255',
    '192.0.0.1',
    '198.18.0.1',
    '224.0.0.1',
    '255.255.255.255',
  ],
  ...['::', '::1', 'fe80::1', 'fe80::1%eth0', 'fc00::1', 'fd12:3456::1', 'ff02::1'],
  ...['::ffff:127.0.0.1', '::ffff:8.8.8.8', '::127.0.0.1', '64:ff9b::7f00:1', '64:ff9b:1::1'],
  ...['2001::1', '2001:db8::1', '2002:7f00:1::', '3fff::1', 'localhost', ''],
])('safety-24: %s is not on the public internet', address => {
  expect(isPublicAddress(address)).toBe(false);
});

test.each(['8.8.8.8', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '2a00:1450:4001::1'])(
  '%s is on the public internet',
  address => {
    expect(isPublicAddress(address)).toBe(true);
  },
);

test.each([
  ...['http://127.0.0.1/a', 'http://0x7f.1/', 'http://2130706433/', 'http://017700000001/', 'http://127.1/'],
  ...['http://[::1]:8080/', 'http://[::ffff:a00:1]/', 'http://169.254.169.254/latest/meta-data', 'http://0/'],
  ...[
    'ftp://example.com/a.ics',
    'file:///etc/passwd',
    'gopher://example.com',
    'javascript:alert(1)',
    'calendar.ics',
  ],
  ...['http://user@example.com/', 'https://user:secret@example.com/', '', 'http://'],
])('safety-24: %s is never fetched', url => {
  expect(whyNotFetched(url)).toBeTypeOf('string');
});

test('names are judged when they are connected to', () => {
  expect(whyNotFetched('https://portal.example/calendar.ics?s=1')).toBeUndefined();
  expect(whyNotFetched('http://127.0.0.1/', { mayConnect: () => true })).toBeUndefined();
});
