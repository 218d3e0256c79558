import fc from 'fast-check';
import { expect, test } from 'vitest';
import { age, counted, oneLine, quoted, shortKey } from './said.ts';

/** Latin, Arabic and Hebrew letters, every control character, and the marks that turn the direction of writing. */
const character = fc.integer({ min: 0, max: 0x2100 }).map(code => String.fromCodePoint(code));

test('safety-39: an error somebody else wrote stays on one line and steers no terminal', () => {
  expect(oneLine('boom\n\u001b[2Jgone\u202Etxt')).toBe('boom [2Jgone txt');
  fc.assert(
    fc.property(fc.array(character), fc.integer({ min: 2, max: 60 }), (characters, most) => {
      const text = characters.join('');
      const line = oneLine(text, most);
      expect(line).not.toMatch(/[\p{Cc}\p{Cf}]/u);
      expect(line.length).toBeLessThanOrEqual(most);
    }),
  );
});

test.each([
  [0, '0 s'],
  [119, '119 s'],
  [120, '2 min'],
  [7_199, '119 min'],
  [7_200, '2 h'],
  [172_800, '2 d'],
])('%d seconds are %s', (seconds, text) => expect(age(seconds)).toBe(text));

test('one is singular', () => {
  expect([counted(0, 'row'), counted(1, 'row'), counted(1_204, 'row')]).toEqual([
    '0 rows',
    '1 row',
    '1,204 rows',
  ]);
});

test('a printed command can be pasted into a shell', () => {
  expect(quoted('stock-service')).toBe('stock-service');
  expect(quoted(`it's; rm -rf`)).toBe(`'it'\\''s; rm -rf'`);
});

test('a key is shown without its tenant, and another one whole', () => {
  expect(shortKey('t1:ord_1', 't1')).toBe('ord_1');
  expect(shortKey('t2:ord_1', 't1')).toBe('t2:ord_1');
});
