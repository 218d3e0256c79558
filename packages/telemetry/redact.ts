import { redacted, scrubText } from './scrub-text.ts';
import { isSecretKey } from './secret-keys.ts';

export { redacted, scrubText } from './scrub-text.ts';

const deepest = 8;
const longestList = 100;
// Nodes looked at in one value. Keeps the cost of a line bounded when somebody logs a socket.
const budget = 2_000;

const identifier =
  /^(?:[a-z]{2,4}_)?0[0-9A-HJKMNP-TV-Z]{25}$|^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$|^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const anyUlid = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;
// With a letter, so that no card number passes as one.
const spanId = /^(?=.*[a-f])[0-9a-f]{16}$/;
const pairNames = ['name', 'key', 'field', 'header'] as const;

type Fields = { [key: string]: unknown };
type Walk = { left: number };

/**
 * Takes secrets and personal data out of a JSON value at any depth and answers it. Objects and arrays change in place,
 * so hand over only what you own.
 */
export function redactJson(value: unknown): unknown {
  return clean(value, 0, { left: budget });
}

function clean(value: unknown, depth: number, walk: Walk): unknown {
  if (typeof value === 'string') return cleanText(value);
  // Card and telephone numbers also come as numbers; shorter ones cannot be either.
  if (typeof value === 'number') return Math.abs(value) < 1e9 ? value : cleanNumber(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= deepest || walk.left <= 0) return '[truncated]';
  return Array.isArray(value) ? cleanList(value, depth, walk) : cleanFields(value as Fields, depth, walk);
}

function cleanText(text: string): string {
  // Our own ids and times are the most frequent long texts, and known to be harmless.
  if (text.length >= 24 && text.length <= 36 && identifier.test(text)) return text;
  return text.startsWith('at ') ? cleanFrame(text) : scrubText(text);
}

const frames = new Map<string, string>();
const frameLimit = 2_000;

// The frames of a stack repeat: keeping the clean ones takes an error line from 21 µs to 14 µs (see logger.ts).
function cleanFrame(frame: string): string {
  const known = frames.get(frame);
  if (known !== undefined) return known;
  const scrubbed = scrubText(frame);
  if (scrubbed === frame && frames.size < frameLimit && frame.length <= 300) frames.set(frame, scrubbed);
  return scrubbed;
}

function cleanNumber(value: number): number | string {
  const text = String(value);
  const scrubbed = scrubText(text);
  return scrubbed === text ? value : scrubbed;
}

function cleanList(list: unknown[], depth: number, walk: Walk): unknown[] {
  const rest = list.length - longestList;
  if (rest > 0) list.splice(longestList, rest, `[${rest} more]`);
  let namesASecret = false;
  for (let i = 0; i < list.length; i++) {
    walk.left--;
    const item = list[i];
    // Raw headers and entries: ['Cookie', 'sid=…'] says in one item what the next one is.
    list[i] = namesASecret && !isHarmless(item) ? redacted : clean(item, depth + 1, walk);
    namesASecret = typeof item === 'string' && item.length <= 40 && isSecretKey(item);
  }
  return list;
}

function cleanFields(fields: Fields, depth: number, walk: Walk): Fields {
  const valueIsSecret = namesASecret(fields);
  let renamed = false;
  for (const key of Object.keys(fields)) {
    walk.left--;
    if (safeKey(key) !== key) renamed = true;
    const value = fields[key];
    if (isHarmless(value) || isTraceId(key, value)) continue;
    const hide = walk.left < 0 || isSecretKey(key) || (valueIsSecret && key === 'value');
    if (key !== '__proto__') fields[key] = hide ? redacted : clean(value, depth + 1, walk);
  }
  return renamed ? withSafeKeys(fields) : fields;
}

// Whether something is set says nothing about what it is.
function isHarmless(value: unknown): boolean {
  return value === null || value === undefined || typeof value === 'boolean';
}

// Random bits look like anything: a foreign trace id like a base32 seed, a span id like a telephone number.
function isTraceId(key: string, value: unknown): boolean {
  if (typeof value !== 'string') return false;
  return key === 'correlationId' ? anyUlid.test(value) : key === 'spanId' && spanId.test(value);
}

/** A form field or header as an object: { name: 'password', value: … }. */
function namesASecret(fields: Fields): boolean {
  if (!Object.hasOwn(fields, 'value')) return false;
  return pairNames.some(name => typeof fields[name] === 'string' && isSecretKey(fields[name]));
}

/** Somebody will log a map keyed by e-mail address; `__proto__` is dropped. */
function withSafeKeys(fields: Fields): Fields {
  const entries = Object.entries(fields).filter(([key]) => key !== '__proto__');
  return Object.fromEntries(entries.map(([key, value]) => [safeKey(key), value]));
}

const safeKeys = new Map<string, string>();
const safeKeyLimit = 5_000;

function safeKey(key: string): string {
  const known = safeKeys.get(key);
  if (known !== undefined) return known;
  const safe = key === '__proto__' ? '' : scrubText(key);
  if (safeKeys.size < safeKeyLimit && key.length <= 64) safeKeys.set(key, safe);
  return safe;
}
