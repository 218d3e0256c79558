import { AppError } from '@ghasi/domain-primitives/errors';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readIdempotencyKey } from './idempotency-key.ts';

const read = (values: string[], open = false) => {
  const raw = ['Host', 'desk.example', ...values.flatMap(value => ['Idempotency-Key', value])];
  try {
    return readIdempotencyKey(raw, { open });
  } catch (error) {
    if (error instanceof AppError) return `${error.status} ${error.code}`;
    throw error;
  }
};

test('safety-13: a missing key is 400, and so are two keys, a control character and 256 characters', () => {
  expect(read([])).toBe('400 IDEMPOTENCY_KEY_MISSING');
  expect(read([''])).toBe('400 IDEMPOTENCY_KEY_MISSING');
  expect(read(['a', 'b'])).toBe('400 IDEMPOTENCY_KEY_INVALID');
  expect(read(['a', 'a'])).toBe('400 IDEMPOTENCY_KEY_INVALID');
  expect(read(['a\tb'])).toBe('400 IDEMPOTENCY_KEY_INVALID');
  expect(read(['a\u0000'])).toBe('400 IDEMPOTENCY_KEY_INVALID');
  expect(read(['ü'])).toBe('400 IDEMPOTENCY_KEY_INVALID');
  expect(read(['x'.repeat(255)])).toBe('x'.repeat(255));
  expect(read(['x'.repeat(256)])).toBe('400 IDEMPOTENCY_KEY_INVALID');
});

test('the name of the header is found in any case, its value never in a neighbour', () => {
  expect(readIdempotencyKey(['IDEMPOTENCY-KEY', 'k1'], { open: false })).toBe('k1');
  expect(readIdempotencyKey(['x-note', 'idempotency-key', 'idempotency-key', 'k2'], { open: false })).toBe(
    'k2',
  );
});

test('safety-13: without a sign-in the key must be unguessable, so it must be a UUID', () => {
  expect(read(['1'], true)).toBe('400 IDEMPOTENCY_KEY_INVALID');
  expect(read(['0198b3c2-7b1e-7c3a-9f1e-2b7d5c1a9e10'], true)).toBe('0198b3c2-7b1e-7c3a-9f1e-2b7d5c1a9e10');
});

test('whatever a client sends as key is either taken as it is or answered with 400', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary', maxLength: 300 }), { maxLength: 3 }), values => {
      const result = read(values);
      expect(result === values[0] || result.startsWith('400 IDEMPOTENCY_KEY_')).toBe(true);
    }),
  );
});
