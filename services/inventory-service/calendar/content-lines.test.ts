import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  escapeText,
  fold,
  LONGEST_LINE,
  MOST_BYTES,
  parseLine,
  unescapeText,
  unfold,
} from './content-lines.ts';
import { UnreadableCalendar } from './unreadable-calendar.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
/** Text of one line: no control characters, no half letters. */
const lineText = fc
  .string({ unit: 'binary', maxLength: 300 })
  .filter(text => text.isWellFormed() && !/\p{Cc}/u.test(text));
const paragraph = fc.array(lineText, { minLength: 1, maxLength: 4 }).map(lines => lines.join('\n'));

describe('RFC 5545: lines', () => {
  test('what is folded is unfolded to the same lines, whatever letters they have', () => {
    const lines = fc.array(
      lineText.filter(text => text !== '' && !text.startsWith('\ufeff')),
      { maxLength: 8 },
    );
    fc.assert(
      fc.property(lines, all => {
        expect(unfold(bytes(fold(all)))).toEqual(all);
      }),
    );
  });

  test('a folded line has 75 octets at most, and no letter is cut in two', () => {
    fc.assert(
      fc.property(lineText, text => {
        const pieces = fold([text]).slice(0, -2).split('\r\n');
        for (const piece of pieces) {
          expect(Buffer.byteLength(piece)).toBeLessThanOrEqual(75);
          expect(piece.isWellFormed()).toBe(true);
        }
      }),
    );
  });

  test('a writer that cuts letters in two between bytes is understood, with LF as well', () => {
    const letter = bytes('د');
    const cut = (end: string) =>
      Buffer.concat([bytes('SUMMARY:'), letter.subarray(0, 1), bytes(end), letter.subarray(1)]);
    expect(unfold(cut('\r\n '))).toEqual(['SUMMARY:د']);
    expect(unfold(cut('\n\t'))).toEqual(['SUMMARY:د']);
  });

  test('a byte order mark and empty lines are left out', () => {
    expect(unfold(bytes('\ufeffBEGIN:VCALENDAR\r\n\r\nEND:VCALENDAR\n'))).toEqual([
      'BEGIN:VCALENDAR',
      'END:VCALENDAR',
    ]);
  });

  test.each([
    ['more than 2 MB', new Uint8Array(MOST_BYTES + 1).fill(0x61), 'bytes'],
    ['a line without end', bytes(`SUMMARY:${'x'.repeat(LONGEST_LINE)}`), 'characters'],
    ['a line that grows by folding', bytes('SUMMARY:x\r\n '.repeat(3_000)), 'characters'],
    ['a NUL', bytes('SUMMARY:a\u0000b'), 'control'],
    ['an escape sequence of a terminal', bytes('SUMMARY:\u001b[2J'), 'control'],
    ['bytes that are not UTF-8', Uint8Array.of(0x53, 0xff, 0xfe), 'UTF-8'],
  ])('%s is refused with a reason', (_, hostile, reason) => {
    expect(() => unfold(hostile)).toThrow(UnreadableCalendar);
    expect(() => unfold(hostile)).toThrow(reason);
  });
});

describe('RFC 5545: text', () => {
  test('what is escaped is unescaped to the same text', () => {
    fc.assert(
      fc.property(paragraph, text => {
        expect(unescapeText(escapeText(text))).toBe(text);
      }),
    );
  });

  test('safety-39: no text makes a line of its own', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), text => {
        expect(escapeText(text)).not.toMatch(/[\r\n]/);
      }),
    );
  });

  test('a backslash before a letter that needs none stands for itself', () => {
    expect(unescapeText(String.raw`a\,b\;c\\d\Ne\nf\qg`)).toBe('a,b;c\\d\ne\nf\\qg');
  });
});

describe('RFC 5545: properties', () => {
  test('name, parameters in quotes or lists, and a value with colons', () => {
    const { name, params, value } = parseLine(
      'dtstart;Value=DATE;X-A="a:b;c",d;tzid="Asia/Kabul":20270510T14:00',
    );
    expect([name, value]).toEqual(['DTSTART', '20270510T14:00']);
    expect(Object.fromEntries(params)).toEqual({ VALUE: 'DATE', 'X-A': 'a:b;c', TZID: 'Asia/Kabul' });
  });

  test.each(['', ':x', ' SUMMARY:x', 'SUMMARY', 'DTSTART;VALUE', 'DTSTART;VALUE="DATE:2027', 'Ünä:x'])(
    '%o is no property',
    line => {
      expect(() => parseLine(line)).toThrow(UnreadableCalendar);
    },
  );
});
