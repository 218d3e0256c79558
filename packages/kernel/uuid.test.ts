import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AppError } from './errors.ts';
import { isUlid, isUuid, isUuid7, ulidFromUuid, uuid7, uuid7Time, uuidFromUlid } from './uuid.ts';
import { nextTick } from './uuid-tick.ts';

const anyUuid = fc
  .uint8Array({ minLength: 16, maxLength: 16 })
  .map(bytes => Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join(''))
  .map(hex => hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'));

/** The conversion written another way: one large number, digit by digit. */
function ulidByArithmetic(uuid: string): string {
  let rest = BigInt(`0x${uuid.replaceAll('-', '')}`);
  let text = '';
  for (let place = 0; place < 26; place += 1) {
    text = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'[Number(rest % 32n)] + text;
    rest /= 32n;
  }
  return text;
}

describe('uuid7', () => {
  test('ENV-04: is a version 7 uuid that carries its millisecond', () => {
    const before = Date.now();
    const uuid = uuid7();
    expect(isUuid7(uuid)).toBe(true);
    expect(uuid7Time(uuid)).toBeGreaterThanOrEqual(before);
  });

  test('100,000 ids are distinct and sort in the order they were made', () => {
    const made = Array.from({ length: 100_000 }, () => uuid7());
    expect(new Set(made).size).toBe(made.length);
    expect(made.every(isUuid7)).toBe(true);
    expect(made.toSorted()).toEqual(made);
  });

  test('stays monotonic however the clock jumps', () => {
    const base = Date.now();
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -100_000, max: 100_000 }), { minLength: 2 }), jumps => {
        const made = jumps.map(jump => uuid7(base + jump));
        expect(made.toSorted()).toEqual(made);
        expect(new Set(made).size).toBe(made.length);
      }),
    );
  });

  test.each([Number.NaN, -1, 1.5, 2 ** 48, Number.POSITIVE_INFINITY])('refuses %d as a clock', nowMs => {
    expect(() => uuid7(nowMs)).toThrow(RangeError);
  });
});

describe('nextTick', () => {
  const most = () => 2 ** 32 - 1;

  test('a later millisecond starts a new count with room left', () => {
    expect(nextTick({ ms: 5, count: 9 }, 6, most)).toEqual({ ms: 6, count: 2 ** 41 - 1 });
    expect(nextTick({ ms: 5, count: 9 }, 6, () => 0)).toEqual({ ms: 6, count: 0 });
  });

  test('the same or an earlier millisecond counts on by 1 to 256', () => {
    expect(nextTick({ ms: 5, count: 9 }, 5, () => 0)).toEqual({ ms: 5, count: 10 });
    expect(nextTick({ ms: 5, count: 9 }, 1, most)).toEqual({ ms: 5, count: 265 });
  });

  test('a full counter borrows the next millisecond instead of wrapping', () => {
    expect(nextTick({ ms: 5, count: 2 ** 42 - 1 }, 5, () => 0)).toEqual({ ms: 6, count: 0 });
    expect(nextTick({ ms: 5, count: 2 ** 42 - 1 }, 2, most)).toEqual({ ms: 6, count: 255 });
    expect(nextTick({ ms: 5, count: 2 ** 42 - 2 }, 5, () => 0)).toEqual({ ms: 5, count: 2 ** 42 - 1 });
  });
});

describe('ULID text', () => {
  test('X-022: has the bits of the uuid (published pair)', () => {
    expect(ulidFromUuid('01563e3a-b5d3-d676-4c61-efb99302bd5b')).toBe('01ARZ3NDEKTSV4RRFFQ69G5FAV');
    expect(uuidFromUlid('01ARZ3NDEKTSV4RRFFQ69G5FAV')).toBe('01563e3a-b5d3-d676-4c61-efb99302bd5b');
  });

  test('the smallest and the largest value fit', () => {
    expect(ulidFromUuid('00000000-0000-0000-0000-000000000000')).toBe('0'.repeat(26));
    expect(ulidFromUuid('ffffffff-ffff-ffff-ffff-ffffffffffff')).toBe(`7${'Z'.repeat(25)}`);
    expect(uuidFromUlid(`7${'Z'.repeat(25)}`)).toBe('ffffffff-ffff-ffff-ffff-ffffffffffff');
  });

  test('every uuid survives the round trip and agrees with plain arithmetic', () => {
    fc.assert(
      fc.property(anyUuid, uuid => {
        const ulid = ulidFromUuid(uuid);
        expect(isUlid(ulid)).toBe(true);
        expect(ulid).toBe(ulidByArithmetic(uuid));
        expect(uuidFromUlid(ulid)).toBe(uuid);
      }),
    );
  });

  test('sorts like the uuid', () => {
    fc.assert(
      fc.property(anyUuid, anyUuid, (left, right) => {
        expect(ulidFromUuid(left) < ulidFromUuid(right)).toBe(left < right);
      }),
    );
  });

  test.each([
    '',
    '01ARZ3NDEKTSV4RRFFQ69G5FA',
    '01ARZ3NDEKTSV4RRFFQ69G5FAVV',
    '01arz3ndektsv4rrffq69g5fav',
    '81ARZ3NDEKTSV4RRFFQ69G5FAV',
    'O1ARZ3NDEKTSV4RRFFQ69G5FAV',
    '01ARZ3NDEKTSV4RRFFQ69G5FAI',
    '01ARZ3NDEKTSV4RRFFQ69G5FAU',
    '01ARZ3NDEKTSV4RRFFQ69G5FA-',
    '01ARZ3NDEKTSV4RRFFQ69G5FAV\n',
  ])('refuses %j', text => {
    expect(isUlid(text)).toBe(false);
    expect(() => uuidFromUlid(text)).toThrow(AppError);
  });
});

describe('uuid text', () => {
  test.each([
    '',
    '01563E3A-B5D3-D676-4C61-EFB99302BD5B',
    '01563e3ab5d3d6764c61efb99302bd5b',
    '{01563e3a-b5d3-d676-4c61-efb99302bd5b}',
    '01563e3a-b5d3-d676-4c61-efb99302bd5',
    '01563e3a-b5d3-d676-4c61-efb99302bd5b ',
    '01563e3a-b5d3-d676-4c61-efb99302bd5b\n',
    '01563e3g-b5d3-d676-4c61-efb99302bd5b',
  ])('refuses %j', text => {
    expect(isUuid(text)).toBe(false);
    expect(() => ulidFromUuid(text)).toThrow(AppError);
  });

  test('ENV-04: v4 and a wrong variant are not v7', () => {
    expect(isUuid('3f2504e0-4f89-41d3-9a0c-0305e82c3301')).toBe(true);
    expect(isUuid7('3f2504e0-4f89-41d3-9a0c-0305e82c3301')).toBe(false);
    expect(isUuid7('018f2504-4f89-7111-ca0c-0305e82c3301')).toBe(false);
    expect(isUuid7('018f2504-4f89-7111-8a0c-0305e82c3301')).toBe(true);
    expect(isUuid7(7)).toBe(false);
  });
});
