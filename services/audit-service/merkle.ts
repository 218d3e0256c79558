import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, concatBytes, hexToBytes } from '@noble/hashes/utils.js';

/** Says that a leaf is a leaf, so that nobody can pass an inner node off as one (RFC 6962, section 2.1). */
const LEAF = Uint8Array.of(0);
const NODE = Uint8Array.of(1);

/** True for SHA-256 as lower-case hex. */
export function isHash(text: unknown): text is string {
  return typeof text === 'string' && /^[0-9a-f]{64}$/.test(text);
}

/** Where a leaf is in its tree, and the hashes beside its way to the root. */
export type MerklePath = {
  /** From 0. */
  readonly index: number;
  readonly size: number;
  /** From the bottom up, as hex; a level where the node has no sibling has none. */
  readonly path: readonly string[];
};

/**
 * The root over hashes (hex) in their order, as hex. Nodes are paired from the left; an odd one goes up as it is, which
 * makes the tree of RFC 6962.
 */
export function merkleRoot(hashes: readonly string[]): string {
  if (hashes.length === 0) throw new RangeError('a tree has at least one leaf');
  let level = hashes.map(leafOf);
  while (level.length > 1) level = above(level);
  return bytesToHex(level[0] as Uint8Array);
}

/** The way of one hash to the root. */
export function merklePath(hashes: readonly string[], index: number): MerklePath {
  if (!(Number.isInteger(index) && index >= 0 && index < hashes.length))
    throw new RangeError(`a tree of ${hashes.length} leaves has no leaf ${index}`);
  const path: string[] = [];
  let level = hashes.map(leafOf);
  for (let at = index; level.length > 1; at >>= 1) {
    const sibling = level[at ^ 1];
    if (sibling !== undefined) path.push(bytesToHex(sibling));
    level = above(level);
  }
  return { index, size: hashes.length, path };
}

/** The root that a hash has by its way; undefined when the way does not fit a tree of that size. */
export function rootByPath(hash: string, { index, size, path }: MerklePath): string | undefined {
  if (!(Number.isInteger(index) && Number.isInteger(size) && index >= 0 && index < size)) return undefined;
  if (![hash, ...path].every(isHash)) return undefined;
  let node = leafOf(hash);
  let used = 0;
  for (let at = index, width = size; width > 1; at >>= 1, width = (width + 1) >> 1) {
    if ((at ^ 1) >= width) continue; // goes up as it is
    const sibling = path[used++];
    if (sibling === undefined) return undefined;
    const other = hexToBytes(sibling);
    node = at % 2 === 0 ? parentOf(node, other) : parentOf(other, node);
  }
  return used === path.length ? bytesToHex(node) : undefined;
}

function leafOf(hash: string): Uint8Array {
  return sha256(concatBytes(LEAF, hexToBytes(hash)));
}

function parentOf(left: Uint8Array, right: Uint8Array): Uint8Array {
  return sha256(concatBytes(NODE, left, right));
}

function above(level: readonly Uint8Array[]): Uint8Array[] {
  const next: Uint8Array[] = [];
  for (let at = 0; at < level.length; at += 2) {
    const [left, right] = [level[at] as Uint8Array, level[at + 1]];
    next.push(right === undefined ? left : parentOf(left, right));
  }
  return next;
}
