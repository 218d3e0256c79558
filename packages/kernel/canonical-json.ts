import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { coreErrors } from './errors.ts';

/** Deeper values are refused instead of overflowing the stack; a cycle ends here too. */
const MAX_DEPTH = 256;

/**
 * The one JSON text of a value by RFC 8785: keys in UTF-16 order, no spaces, ECMAScript numbers. Refuses what JSON
 * cannot say without loss: NaN, Infinity, undefined, bigint, functions, symbols, lone surrogates, Dates and other
 * class instances.
 */
export function canonicalJson(value: unknown): string {
  return write(value, []);
}

/** SHA-256 of the canonical form as lower-case hex. Leave `payloadHash` out of the body before hashing it. */
export function payloadHash(value: unknown): string {
  return bytesToHex(sha256(utf8ToBytes(canonicalJson(value))));
}

/** Throws PAYLOAD_HASH_MISMATCH unless `body.payloadHash` is the hash of the rest of the body (VAL-03, VAL-04). */
export function assertPayloadHash<Body extends { readonly payloadHash: string }>(body: Body): void {
  const { payloadHash: claimed, ...rest } = body;
  if (payloadHash(rest) !== claimed) throw coreErrors.PAYLOAD_HASH_MISMATCH();
}

type Path = (string | number)[];

function write(value: unknown, path: Path): string {
  switch (typeof value) {
    case 'boolean':
      return value ? 'true' : 'false';
    case 'number':
      if (!Number.isFinite(value)) throw refused(path, `${value} is not a JSON number`);
      return JSON.stringify(value); // ECMAScript's own algorithm, which RFC 8785 adopts; -0 becomes 0
    case 'string':
      return writeString(value, path);
    case 'object':
      if (value === null) return 'null';
      if (path.length >= MAX_DEPTH) throw refused(path, `deeper than ${MAX_DEPTH} levels, or a cycle`);
      return Array.isArray(value) ? writeArray(value, path) : writeObject(value, path);
    default:
      throw refused(path, `${typeof value} is not a JSON value`);
  }
}

function writeString(text: string, path: Path): string {
  if (!text.isWellFormed()) throw refused(path, 'the text has half of a surrogate pair');
  return JSON.stringify(text);
}

function writeArray(items: readonly unknown[], path: Path): string {
  const parts: string[] = [];
  // By index: a hole reads as undefined and is refused, where map() would skip it.
  for (let index = 0; index < items.length; index += 1) {
    path.push(index);
    parts.push(write(items[index], path));
    path.pop();
  }
  return `[${parts.join(',')}]`;
}

function writeObject(object: object, path: Path): string {
  const prototype: unknown = Object.getPrototypeOf(object);
  if (prototype !== Object.prototype && prototype !== null) {
    throw refused(path, `${object.constructor?.name || 'this object'} is not a plain object`);
  }
  const parts: string[] = [];
  // Default sort compares UTF-16 code units, which is what RFC 8785 asks for.
  for (const key of Object.keys(object).sort()) {
    path.push(key);
    parts.push(`${writeString(key, path)}:${write(Reflect.get(object, key), path)}`);
    path.pop();
  }
  return `{${parts.join(',')}}`;
}

function refused(path: Path, reason: string) {
  const steps = path.map(step => (typeof step === 'number' ? `[${step}]` : `.${step.toWellFormed()}`));
  return coreErrors.NOT_CANONICAL_JSON({ path: `$${steps.join('')}`, reason });
}
