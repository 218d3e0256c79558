import { coreErrors } from './errors.ts';
import { nextTick, type Tick } from './uuid-tick.ts';

declare const uuidBrand: unique symbol;
declare const uuid7Brand: unique symbol;
declare const ulidBrand: unique symbol;

/** A uuid of any version in its one canonical text: lower case, with hyphens. */
export type Uuid = string & { readonly [uuidBrand]: true };

/** A uuid that sorts by the time it was made. */
export type UUIDv7 = Uuid & { readonly [uuid7Brand]: true };

/** 128 bits as 26 upper-case Crockford characters; sorts like the uuid of the same bits. */
export type ULID = string & { readonly [ulidBrand]: true };

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const UUID7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const ULID_TEXT = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;
const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const MAX_MS = 2 ** 48 - 1;

let last: Tick = { ms: -1, count: 0 };

/**
 * Makes a UUIDv7 larger than every one this process made before, also within one millisecond and after the clock
 * went back (RFC 9562, section 6.2). `nowMs` is the server's clock, never a client's: a far
 * future value would pull all later ids with it.
 */
export function uuid7(nowMs: number = Date.now()): UUIDv7 {
  if (!Number.isInteger(nowMs) || nowMs < 0 || nowMs > MAX_MS) {
    throw new RangeError(`uuid7: ${nowMs} is not a millisecond since 1970 that fits in 48 bits`);
  }
  last = nextTick(last, nowMs, randomUint32);
  return uuidFromParts(last, randomUint32());
}

function uuidFromParts({ ms, count }: Tick, tail: number): UUIDv7 {
  const time = hex(ms, 12);
  const high = hex(Math.floor(count / 2 ** 30), 3);
  const low = hex(0x80000000 + (count % 2 ** 30), 8); // the two bits on top are the variant
  return hyphenate(`${time}7${high}${low}${hex(tail, 8)}`) as UUIDv7;
}

function hyphenate(hex32: string): string {
  return `${hex32.slice(0, 8)}-${hex32.slice(8, 12)}-${hex32.slice(12, 16)}-${hex32.slice(16, 20)}-${hex32.slice(20)}`;
}

function hex(value: number, width: number): string {
  return value.toString(16).padStart(width, '0');
}

// A pool: one call into the system's generator per 128 draws instead of per draw.
const pool = new Uint32Array(128);
let drawn = pool.length;

function randomUint32(): number {
  if (drawn === pool.length) {
    crypto.getRandomValues(pool);
    drawn = 0;
  }
  const value = pool[drawn] ?? 0;
  drawn += 1;
  return value;
}

/** True for a uuid of any version in canonical text; upper case, braces and missing hyphens are refused. */
export function isUuid(text: unknown): text is Uuid {
  return typeof text === 'string' && UUID.test(text);
}

/** True for a canonical UUIDv7. */
export function isUuid7(text: unknown): text is UUIDv7 {
  return typeof text === 'string' && UUID7.test(text);
}

/** True for a ULID in canonical text: upper case, no I, L, O, U, and not above 128 bits. */
export function isUlid(text: unknown): text is ULID {
  return typeof text === 'string' && ULID_TEXT.test(text);
}

/** The millisecond since 1970 at which a UUIDv7 was made. */
export function uuid7Time(uuid: UUIDv7): number {
  return Number.parseInt(uuid.slice(0, 8) + uuid.slice(9, 13), 16);
}

/** The same 128 bits as ULID text. */
export function ulidFromUuid(uuid: string): ULID {
  if (!isUuid(uuid)) throw coreErrors.MALFORMED_ID({ expected: 'uuid', reason: 'not canonical uuid text' });
  let text = '';
  let bits = 0;
  let width = 2; // 26 characters carry 130 bits: two zero bits come first
  for (const digit of uuid) {
    if (digit === '-') continue;
    bits = ((bits << 4) | Number.parseInt(digit, 16)) & 0x1ff;
    width += 4;
    if (width >= 5) {
      width -= 5;
      text += CROCKFORD[bits >> width];
      bits &= (1 << width) - 1;
    }
  }
  return text as ULID;
}

/** The same 128 bits as uuid text. */
export function uuidFromUlid(ulid: string): Uuid {
  if (!isUlid(ulid)) throw coreErrors.MALFORMED_ID({ expected: 'ULID', reason: 'not canonical ULID text' });
  let digits = '';
  let bits = 0;
  let width = -2;
  for (const character of ulid) {
    bits = (bits << 5) | CROCKFORD.indexOf(character);
    width += 5;
    while (width >= 4) {
      width -= 4;
      digits += (bits >> width).toString(16);
      bits &= (1 << width) - 1;
    }
  }
  return hyphenate(digits) as Uuid;
}
