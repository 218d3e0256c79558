import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { merklePath, merkleRoot, rootByPath } from './merkle.ts';

const sha256 = (...parts: Uint8Array[]) => createHash('sha256').update(Buffer.concat(parts)).digest();

/** RFC 6962, section 2.1, word for word: split at the largest power of two below the size. */
function rootOfTheStandard(leaves: readonly Uint8Array[]): Uint8Array {
  if (leaves.length === 1) return sha256(Uint8Array.of(0), leaves[0] as Uint8Array);
  let half = 1;
  while (half * 2 < leaves.length) half *= 2;
  const [left, right] = [leaves.slice(0, half), leaves.slice(half)];
  return sha256(Uint8Array.of(1), rootOfTheStandard(left), rootOfTheStandard(right));
}

const hash = fc.uint8Array({ minLength: 32, maxLength: 32 }).map(bytes => Buffer.from(bytes).toString('hex'));
const hashes = fc.uniqueArray(hash, { minLength: 1, maxLength: 40 });

test('M12: the root is the one of RFC 6962, whatever the number of leaves', () => {
  fc.assert(
    fc.property(hashes, list => {
      const expected = rootOfTheStandard(list.map(text => Buffer.from(text, 'hex')));
      expect(merkleRoot(list)).toBe(Buffer.from(expected).toString('hex'));
    }),
  );
});

test('M12: every leaf has a way to the root, and no other leaf has it', () => {
  fc.assert(
    fc.property(hashes, fc.nat(), fc.nat(), (list, a, b) => {
      const [index, other] = [a % list.length, b % list.length];
      const path = merklePath(list, index);
      expect(rootByPath(list[index] as string, path)).toBe(merkleRoot(list));
      const found = rootByPath(list[other] as string, path) === merkleRoot(list);
      expect(found).toBe(index === other);
    }),
  );
});

test('M12: a way with one bit flipped, too short, too long or of another place leads elsewhere', () => {
  fc.assert(
    fc.property(fc.uniqueArray(hash, { minLength: 2, maxLength: 33 }), fc.nat(), fc.nat(), (list, a, b) => {
      const index = a % list.length;
      const leaf = list[index] as string;
      const root = merkleRoot(list);
      const { path, ...at } = merklePath(list, index);
      const flipped = path.map((text, n) => (n === b % path.length ? flipBit(text, b) : text));
      expect(rootByPath(leaf, { ...at, path: flipped })).not.toBe(root);
      expect(rootByPath(leaf, { ...at, path: path.slice(1) })).toBeUndefined();
      expect(rootByPath(leaf, { ...at, path: [...path, root] })).toBeUndefined();
      expect(rootByPath(leaf, { ...at, path, index: (index + 1) % list.length })).not.toBe(root);
    }),
  );
});

test('a leaf is not taken for a node: the root of two is not the leaf of their hashes', () => {
  const [a, b] = ['aa'.repeat(32), 'bb'.repeat(32)];
  const root = merkleRoot([a, b]);
  expect(merkleRoot([root])).not.toBe(root);
  expect(rootByPath(a, { index: 0, size: 1, path: [] })).not.toBe(root);
});

test('a tree without leaves has no root, and one of three no fourth leaf', () => {
  expect(() => merkleRoot([])).toThrow(RangeError);
  expect(() => merklePath(['00'.repeat(32)], 1)).toThrow(RangeError);
  expect(rootByPath('00'.repeat(32), { index: 3, size: 3, path: [] })).toBeUndefined();
});

function flipBit(text: string, which: number): string {
  const bytes = Buffer.from(text, 'hex');
  bytes[which % 32] = (bytes[which % 32] as number) ^ (1 << (which % 8));
  return bytes.toString('hex');
}
