import { httpErrors } from './errors.ts';
import type { Limits } from './limits.ts';

type JsonLimits = Pick<Limits, 'jsonDepth' | 'jsonKeys' | 'jsonValues'>;

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_ARRAY = 0x5d;
const LETTER_U = 0x75;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** Keys that could reach a prototype when an object is copied or merged carelessly. */
const forbiddenKeys = new Set(['__proto__', 'constructor', 'prototype']);

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Parses a JSON body that a stranger sent. Refuses (400) what `JSON.parse` would accept or choke on: too deep, too
 * many keys or values, duplicate keys, prototype keys, bytes that are not UTF-8, and text that PostgreSQL cannot
 * store (NUL, lone surrogates).
 */
export function parseSafeJson(bytes: Uint8Array, limits: JsonLimits): unknown {
  const text = decode(bytes);
  inspect(text, limits);
  try {
    return JSON.parse(text);
  } catch {
    throw refuse('it does not parse'); // V8's message would quote the body
  }
}

function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw refuse('it is not UTF-8');
  }
}

/**
 * One pass without recursion, before anything is built. It may misread text that is not JSON: `JSON.parse` refuses
 * that right after. On text that is JSON it sees every key and every level.
 */
function inspect(text: string, limits: JsonLimits): void {
  const open: ('array' | Set<string>)[] = [];
  let keys = 0;
  let values = 1;
  let keyComes = false;
  let at = 0;
  while (at < text.length) {
    const char = text.charCodeAt(at);
    if (char === QUOTE) {
      const end = endOfString(text, at);
      const keysOfObject = open.at(-1);
      if (keyComes && keysOfObject instanceof Set) {
        if (++keys > limits.jsonKeys) throw refuse(`more than ${limits.jsonKeys} keys`);
        addKey(keysOfObject, readKey(text, at, end));
        keyComes = false;
      }
      at = end;
      continue;
    }
    if (char === OPEN_OBJECT || char === OPEN_ARRAY) {
      if (open.length === limits.jsonDepth) throw refuse(`deeper than ${limits.jsonDepth} levels`);
      open.push(char === OPEN_OBJECT ? new Set() : 'array');
      keyComes = char === OPEN_OBJECT;
      values++;
    } else if (char === CLOSE_OBJECT || char === CLOSE_ARRAY) {
      open.pop();
      keyComes = false;
    } else if (char === COMMA) {
      keyComes = open.at(-1) instanceof Set;
      values++;
    }
    if (values > limits.jsonValues) throw refuse(`more than ${limits.jsonValues} values`);
    at++;
  }
}

function addKey(keys: Set<string>, key: string): void {
  if (forbiddenKeys.has(key)) throw refuse(`the key "${key}" is not allowed`);
  if (keys.has(key)) throw refuse('an object has the same key twice');
  keys.add(key);
}

/**
 * The index after the closing quote; the end of the text when there is none. The bytes were UTF-8, so only `\u` escapes
 * can bring in a NUL or half of a surrogate pair.
 */
function endOfString(text: string, start: number): number {
  let lowHalfComes = false;
  let at = start + 1;
  while (at < text.length) {
    const char = text.charCodeAt(at);
    if (char === BACKSLASH && text.charCodeAt(at + 1) === LETTER_U) {
      const unit = Number.parseInt(text.slice(at + 2, at + 6), 16); // NaN when malformed: JSON.parse refuses that
      if (unit === 0) throw refuse('a text contains the character NUL');
      if (lowHalfComes !== (unit >= 0xdc00 && unit <= 0xdfff)) throw refuse(HALF);
      lowHalfComes = unit >= 0xd800 && unit <= 0xdbff;
      at += 6;
      continue;
    }
    if (lowHalfComes) throw refuse(HALF);
    if (char === QUOTE) return at + 1;
    at += char === BACKSLASH ? 2 : 1;
  }
  return text.length;
}

const HALF = 'a text contains half of a character';

function readKey(text: string, start: number, end: number): string {
  const quoted = text.slice(start, end);
  if (!quoted.includes('\\')) return quoted.slice(1, -1);
  try {
    return JSON.parse(quoted) as string;
  } catch {
    throw refuse('it does not parse');
  }
}

function refuse(reason: string) {
  return httpErrors.MALFORMED_JSON({ reason });
}
