const deepest = 6;
const longestList = 101;
const mostFrames = 20;
// Nodes looked at in one call; past it a value goes on as it is, and the redaction cuts it.
const budget = 2_000;

type Fields = { [key: string]: unknown };
type Walk = { left: number };

/**
 * The value as JSON can carry it: errors with their causes, maps, sets, bigints and bytes would be lost or break the
 * line. What needs no change is answered as it is and not copied; class instances are left to their own `toJSON`.
 */
export function loggable(value: unknown): unknown {
  return convert(value, 0, { left: budget });
}

function convert(value: unknown, depth: number, walk: Walk): unknown {
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return value;
  if (walk.left-- <= 0 || depth > deepest) return value;
  if (value instanceof Error) return errorFields(value, depth, walk);
  if (Array.isArray(value)) return convertList(value, depth, walk);
  if (value instanceof Map || value instanceof Set) return convertList([...value], depth, walk);
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  return isPlain(value) ? convertFields(value, depth, walk) : value;
}

function convertList(list: readonly unknown[], depth: number, walk: Walk): readonly unknown[] {
  let copy: unknown[] | undefined;
  for (let i = 0; i < list.length && i < longestList; i++) {
    const converted = convert(list[i], depth + 1, walk);
    if (converted === list[i]) continue;
    copy ??= [...list];
    copy[i] = converted;
  }
  return copy ?? list;
}

function convertFields(fields: Fields, depth: number, walk: Walk): Fields {
  let copy: Fields | undefined;
  for (const key of Object.keys(fields)) {
    const value = fields[key];
    const converted = convert(value, depth + 1, walk);
    if (converted === value) continue;
    copy ??= { ...fields };
    copy[key] = converted;
  }
  return copy ?? fields;
}

function isPlain(value: object): value is Fields {
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** An error as fields; the frames stand apart from the message, so that a message cannot forge them. */
function errorFields(error: Error, depth: number, walk: Walk): Fields {
  const fields: Fields = { type: error.constructor?.name ?? error.name, message: error.message };
  for (const [key, value] of Object.entries(error)) {
    if (key in fields || key === 'stack' || key === 'cause') continue;
    fields[key] = echoesValues(key, value) ? '[redacted]' : convert(value, depth + 1, walk);
  }
  if (error.cause !== undefined) fields.cause = convert(error.cause, depth + 1, walk);
  if (error instanceof AggregateError) fields.errors = convertList(error.errors, depth, walk);
  fields.stack = framesOf(error);
  return fields;
}

// Database drivers hang the values of the failed statement on the error.
const valueEchoes = new Set(['parameters', 'values', 'where', 'dataRow', 'query', 'internalQuery']);

function echoesValues(key: string, value: unknown): boolean {
  return valueEchoes.has(key) || (key === 'params' && Array.isArray(value));
}

function framesOf(error: Error): string[] {
  const stack = typeof error.stack === 'string' ? error.stack : '';
  const message = stack.indexOf(error.message);
  const below = message === -1 ? stack : stack.slice(message + error.message.length);
  const frames = below.split('\n').map(line => line.trim());
  return frames.filter(line => line.startsWith('at ')).slice(0, mostFrames);
}
