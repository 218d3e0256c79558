import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Holes } from './holes.ts';

const numbers = (holes: Holes, upTo: number) =>
  Array.from({ length: upTo }, (_, n) => n).filter(n => holes.has(n));

test('OUTBOX-38: holes are what a set of numbers would be', () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant('add' as const), from: fc.nat(60), length: fc.nat(12), at: fc.nat(5) }),
    fc.record({ kind: fc.constant('delete' as const), seq: fc.nat(80) }),
    fc.record({ kind: fc.constant('settle' as const), oldest: fc.nat(6) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), steps => {
      const holes = new Holes();
      const model = new Map<number, number>();
      for (const one of steps) {
        if (one.kind === 'add') {
          const range = Array.from({ length: one.length }, (_, n) => one.from + n);
          if (range.some(n => model.has(n))) continue; // nobody misses a number twice
          holes.add(one.from, one.from + one.length - 1, BigInt(one.at));
          for (const n of range) model.set(n, one.at);
        } else if (one.kind === 'delete') {
          holes.delete(one.seq);
          model.delete(one.seq);
        } else {
          holes.settle(BigInt(one.oldest), undefined);
          for (const [n, at] of model) if (at <= one.oldest) model.delete(n);
        }
        expect(numbers(holes, 100)).toEqual([...model.keys()].sort((a, b) => a - b));
      }
    }),
  );
});

test('a hole missed at an unknown time is kept until a pass knows it', () => {
  const holes = new Holes();
  holes.add(3, 5, undefined);
  holes.settle(100n, 101n);
  expect(`${holes}`).toBe('{[3,5]}');
  holes.settle(100n, 102n);
  expect(`${holes}`).toBe('{[3,5]}');
  holes.settle(101n, 103n);
  expect(`${holes}`).toBe('{}');
});

test('a range is split by what appears within it', () => {
  const holes = new Holes();
  holes.add(1, 100_000, 1n);
  holes.delete(1);
  holes.delete(50);
  expect(`${holes}`).toBe('{[2,49],[51,100000]}');
  expect(holes.size).toBe(2);
});
