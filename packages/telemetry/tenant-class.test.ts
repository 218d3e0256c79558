import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { tenantIdClass, tenantIdClasses } from './tenant-class.ts';

describe('tenant class', () => {
  test.each([
    [0, 'small'],
    [20, 'small'],
    [21, 'medium'],
    [100, 'medium'],
    [101, 'large'],
    ['platform', 'platform'],
  ] as const)('X-040: %s rooms are %s', (rooms, expected) => {
    expect(tenantIdClass(rooms)).toBe(expected);
  });

  test('X-040: the limits are configuration', () => {
    expect(tenantIdClass(5, { small: 4, medium: 5 })).toBe('medium');
    expect(tenantIdClass(6, { small: 4, medium: 5 })).toBe('large');
  });

  test('OBS-14: every count of rooms has one of the four classes, and more rooms never mean a smaller class', () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(), (one, other) => {
        const [fewer, more] = [tenantIdClass(Math.min(one, other)), tenantIdClass(Math.max(one, other))];
        expect(tenantIdClasses.indexOf(fewer)).toBeLessThanOrEqual(tenantIdClasses.indexOf(more));
      }),
    );
  });

  test.each([-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])('refuses %s rooms', rooms => {
    expect(() => tenantIdClass(rooms)).toThrow(RangeError);
  });

  test('refuses limits that do not rise', () => {
    expect(() => tenantIdClass(1, { small: 100, medium: 20 })).toThrow(RangeError);
  });
});
