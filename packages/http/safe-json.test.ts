import fc from 'fast-check';
import { expect, test } from 'vitest';
import { httpErrors } from './errors.ts';
import { defaultLimits } from './limits.ts';
import { parseSafeJson } from './safe-json.ts';

const parse = (text: string | Uint8Array) =>
  parseSafeJson(typeof text === 'string' ? Buffer.from(text) : text, defaultLimits);
const refusal = (text: string | Uint8Array) => {
  try {
    parse(text);
  } catch (error) {
    return httpErrors.MALFORMED_JSON.is(error) ? String(error.params.reason) : error;
  }
  return undefined;
};

test('any JSON within the limits is read exactly as JSON.parse reads it', () => {
  const safe = fc.jsonValue({ depthSize: 'medium', maxDepth: 8, stringUnit: 'grapheme' });
  fc.assert(
    fc.property(safe, fc.nat(3), (value, indent) => {
      const text = JSON.stringify(value, null, indent);
      fc.pre(!/"(__proto__|constructor|prototype)"/.test(text) && !text.includes('\\u0000'));
      expect(parse(text)).toEqual(JSON.parse(text));
    }),
  );
});

test('any other text is refused with 400, never with another error', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: fc.constantFrom(...'{}[]":,\\u01ad') })),
      text => {
        let valid = true;
        try {
          JSON.parse(text);
        } catch {
          valid = false;
        }
        fc.pre(!valid);
        expect(refusal(text)).toEqual(expect.any(String));
      },
    ),
    { numRuns: 500 },
  );
});

test('strings written with escapes only are judged like the characters they stand for', () => {
  const escaped = (value: string) =>
    `"${Array.from({ length: value.length }, (_, at) => `\\u${value.charCodeAt(at).toString(16).padStart(4, '0')}`).join('')}"`;
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.boolean(), (text, cut) => {
      const value = cut ? text.slice(1) : text;
      if (value.isWellFormed() && !value.includes('\0')) expect(parse(escaped(value))).toBe(value);
      else expect(refusal(escaped(value))).toMatch(/NUL|half of a character/);
    }),
    { numRuns: 500 },
  );
});

test('safety-38: depth stops at 32 levels, whatever the mix of objects and arrays', () => {
  const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
  expect(refusal(nested(32))).toBeUndefined();
  expect(refusal(nested(33))).toContain('32 levels');
  expect(refusal(nested(10_000))).toContain('32 levels');
  expect(refusal('{"a":'.repeat(10_000))).toContain('32 levels');
});

test('safety-38: 100,000 keys are refused after the first 10,000, and 100,000 values after 50,000', () => {
  const keys = (count: number) => `{${Array.from({ length: count }, (_, at) => `"k${at}":1`).join()}}`;
  expect(refusal(keys(10_000))).toBeUndefined();
  expect(refusal(keys(100_000))).toContain('10000 keys');
  const manyObjects = `[${'{"a":1},'.repeat(10_000)}{"a":1}]`;
  expect(refusal(manyObjects)).toContain('10000 keys');
  expect(refusal(`[${'{},'.repeat(100_000)}{}]`)).toContain('50000 values');
  expect(refusal(`[${'0,'.repeat(100_000)}0]`)).toContain('50000 values');
});

test.each([
  ['plainly', '{"a":1,"a":2}'],
  ['at another depth', '{"x":{"b":1,"b":1}}'],
  ['in an array', '[{"a":1,"c":3,"a":2}]'],
  ['behind an escape', '{"a":1,"\\u0061":2}'],
])('safety-38: a key given twice %s is refused', (_how, text) => {
  expect(refusal(text)).toContain('same key twice');
});

test('the same key in sibling objects, and a key equal to a value, are fine', () => {
  expect(parse('[{"a":"a"},{"a":"a"}]')).toEqual([{ a: 'a' }, { a: 'a' }]);
});

test.each(['__proto__', 'constructor', 'prototype', '\\u005f_proto__'])(
  'safety-38: the key %s is refused at any depth',
  key => {
    expect(refusal(`{"${key}":{"admin":true}}`)).toContain('not allowed');
    expect(refusal(`[{"a":{"${key}":1}}]`)).toContain('not allowed');
  },
);

test('text that PostgreSQL cannot store is refused: NUL, half characters, bytes that are not UTF-8', () => {
  expect(refusal('{"name":"a\\u0000b"}')).toContain('NUL');
  for (const half of [
    '\\ud83d',
    '\\ude00',
    '\\ud83da',
    '\\ud83d\\n',
    '\\ud83d\\u0041',
    '\\ude00\\ud83d',
    '\\ud83d\\ud83d\\ude00',
  ]) {
    expect([half, refusal(`["${half}"]`)]).toEqual([half, expect.stringContaining('half of a character')]);
  }
  expect(parse('["\\ud83d\\ude00"]')).toEqual(['😀']);
  expect(refusal(Uint8Array.of(0x22, 0xff, 0x22))).toContain('UTF-8');
  expect(refusal(Uint8Array.of(0xef, 0xbb, 0xbf, 0x7b, 0x7d))).toContain('parse');
});
