import { describe, expect, test } from 'vitest';
import { idPrefixes, isPrefix } from './naming.ts';

describe('the registry of prefixes', () => {
  test.each([
    ['BO-01', 'bos'],
    ['BO-02', 'dsh'],
    ['BO-03', 'wbv'],
    ['BO-04', 'aim'],
    ['BO-05', 'ali'],
    ['BO-06', 'act'],
    ['BO-07', 'dsy'],
    ['BO-08', 'opr'],
    ['BO-09', 'oaq'],
    ['BO-10', 'lap'],
    ['BO-11', 'mfa'],
    ['BO-12', 'sdl'],
    ['TB-01', 'bdr'],
    ['TB-02', 'bha'],
    ['TB-03', 'bds'],
    ['TB-04', 'tnt'],
    ['TB-05', 'rsv'],
    ['X-032', 'pay'],
  ])('%s: has %s', (_, prefix) => {
    expect(isPrefix(prefix)).toBe(true);
  });

  test('X-032: tnt is the booking session, not the tenant', () => {
    expect(idPrefixes.tnt).toBe('booking session');
    expect(Object.values<string>(idPrefixes)).not.toContain('tenant');
  });

  test('R11, R13: a room that is taken out, a calendar we read and one we publish have prefixes of their own', () => {
    expect([idPrefixes.rbl, idPrefixes.cfd, idPrefixes.cal]).toEqual([
      'room block',
      'calendar feed',
      'published calendar',
    ]);
  });

  test('every prefix is three lower-case letters, and no two name the same thing', () => {
    expect(Object.keys(idPrefixes).filter(prefix => !/^[a-z]{3}$/.test(prefix))).toEqual([]);
    expect(new Set(Object.values(idPrefixes)).size).toBe(Object.keys(idPrefixes).length);
  });

  test('inherited names are not prefixes', () => {
    expect(isPrefix('constructor')).toBe(false);
    expect(isPrefix('RSV')).toBe(false);
  });
});
