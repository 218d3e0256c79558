import { expect, test } from 'vitest';
import { safeReason } from './safe-reason.ts';

test.each([
  ['an error', new Error('no room'), 'no room'],
  ['a text', 'no room', 'no room'],
  ['nothing', undefined, 'undefined'],
  ['an error whose message is a number', Object.assign(new Error(), { message: 5 }), '5'],
  ['something without a text', Object.create(null), 'something was thrown that has no text'],
  ['a NUL', new Error('a\0b'), 'a\u{fffd}b'],
  ['half of a character', 'a\ud83d', 'a\u{fffd}'],
  ['more than there is room for', 'a'.repeat(50), 'a'.repeat(40)],
  ['a character that would be cut in half', `${'a'.repeat(39)}\u{1f600}`, `${'a'.repeat(39)}\u{fffd}`],
])('the reason of %s can be kept anywhere', (_what, thrown, reason) => {
  expect(safeReason(thrown, 40)).toBe(reason);
});
