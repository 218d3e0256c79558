import { expect, test } from 'vitest';
import { partsOf } from './old-rows.ts';

const round = (pages: number, from: number) => [...partsOf(pages, from)];

test('a table is looked through from its beginning to its end, in parts of 1,024 pages', () => {
  expect(round(0, 0)).toEqual([]);
  expect(round(1, 0)).toEqual([{ first: 0, end: 1 }]);
  expect(round(2_500, 700)).toEqual([
    { first: 0, end: 1_024 },
    { first: 1_024, end: 2_048 },
    { first: 2_048, end: 2_500 },
  ]);
});

test('a large table is looked through in a day of rounds, each of which goes on where the last one ended', () => {
  const pages = 4_000_003;
  let [seen, place] = [0, 3_999_000];
  for (let hour = 0; hour < 24; hour++)
    for (const { first, end } of partsOf(pages, place)) {
      expect(first).toBe(place % pages);
      seen += end - first;
      place = end;
    }
  expect(seen).toBeGreaterThanOrEqual(pages);
  expect(seen).toBeLessThan(pages + 24);
});

test('a table that became shorter is looked through from its beginning', () => {
  expect(round(100_000, 200_000)[0]).toEqual({ first: 0, end: 1_024 });
});
