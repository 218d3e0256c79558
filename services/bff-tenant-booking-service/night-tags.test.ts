import { newId } from '@ghasi/domain-primitives/ids';
import { addDays, type LocalDate, parseLocalDate } from '@ghasi/domain-primitives/local-date';
import { newTenantId } from '@ghasi/testing/tenants';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { tags } from './caches.ts';
import { tagsOfNights, tagsTouching } from './night-tags.ts';

const house = { tenantId: newTenantId(), propertyId: newId('pro') };
const whole = tags.house(house.tenantId, house.propertyId);
const first = parseLocalDate('2026-03-01');
const nights = fc.record({ start: fc.nat(400), length: fc.integer({ min: 1, max: 400 }) });
const windowOf = ({ start, length }: { start: number; length: number }) => {
  const from = addDays(first, start);
  return { from, to: addDays(from, length) };
};

test('CACHE-21: whatever changes on a night finds every answer about that night', () => {
  fc.assert(
    fc.property(nights, fc.nat(399), fc.array(fc.nat(800), { maxLength: 80 }), (asked, place, others) => {
      const window = windowOf(asked);
      const night = addDays(window.from, place % asked.length);
      const changed = [...others.map(days => addDays(first, days)), night];
      // An answer hangs on its house too, whatever its length.
      const known = new Set([whole, ...tagsOfNights(house, window)]);
      expect(tagsTouching(house, changed).some(tag => known.has(tag))).toBe(true);
    }),
  );
});

test('an answer about up to two weeks does not change with other nights', () => {
  const short = fc.record({ start: fc.nat(400), length: fc.integer({ min: 1, max: 14 }) });
  fc.assert(
    fc.property(short, fc.integer({ min: 1, max: 60 }), (asked, away) => {
      const { from, to } = windowOf(asked);
      const known = tagsOfNights(house, { from, to });
      const outside: LocalDate[] = [addDays(from, -away), addDays(to, away - 1)];
      expect(tagsTouching(house, outside).filter(tag => known.includes(tag))).toEqual([]);
    }),
  );
});

test('an answer never hangs on more than the cache allows, and on no other house', () => {
  const other = { ...house, propertyId: newId('pro') };
  fc.assert(
    fc.property(nights, asked => {
      const known = tagsOfNights(house, windowOf(asked));
      expect(known.length).toBeLessThanOrEqual(30); // 32, of which two are for the house and the site
      expect(known.filter(tag => tagsOfNights(other, windowOf(asked)).includes(tag))).toEqual([]);
    }),
  );
});
