import fc from 'fast-check';
import { expect, test } from 'vitest';
import { folded, wordQuery } from './search-text.ts';

test.each([
  ['Kābul', 'kabul'],
  ['  Hotel   BALA-Hissar! ', 'hotel bala hissar'],
  ['كابل', 'کابل'],
  ['باغ‌خانه', 'باغخانه'],
  ['مَزارِ شَریف', 'مزار شریف'],
  ['ننګرهار', 'ننگرهار'],
  ['خوست ۱۲', 'خوست 12'],
  ['هوټل آریانا', 'هوټل اریانا'],
  ['پښتونخوا', 'پښتونخوا'],
  ['Ｈｅｒａｔ', 'herat'],
])('%s is compared as %s', (text, expected) => {
  expect(folded(text)).toBe(expected);
});

test('folding twice is folding once', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 40 }), text => {
      expect(folded(folded(text))).toBe(folded(text));
    }),
    { numRuns: 150 },
  );
});

test('safety-9: whatever is asked for, the query is words and nothing that means something to PostgreSQL', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 60 }), text => {
      const query = wordQuery(text);
      if (query !== undefined) expect(query).toMatch(/^[\p{L}\p{N}]+:\*( & [\p{L}\p{N}]+:\*){0,7}$/u);
    }),
    { numRuns: 150 },
  );
});

test('nothing to look for is nothing', () => {
  expect(wordQuery(' ?! ')).toBeUndefined();
});
