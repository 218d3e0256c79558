/**
 * What the cache keeps for a key. `generations` are the marks of its tags as they were before the load began: if one of
 * them has changed since, somebody invalidated the tag, maybe while the load was still reading old rows.
 */
export type Entry = {
  /** Schema version of the value (CACHE-22, X-142). */
  schema: number;
  generations: Readonly<Record<string, string>>;
  /** Start of the load: the value is at most as old as this. Milliseconds since 1970, as the next two. */
  loadedAt: number;
  freshUntil: number;
  /** End of grace: never served from here on, whatever fails. */
  deadAt: number;
  /** The value as JSON; empty for `undefined`. Readers parse their own copy. */
  text: string;
};

/** The facts that decide whether an entry may be served, without its text. */
export type EntryHead = Omit<Entry, 'text'>;

/** bentocache's wrapping of a value; it moves `logicalExpiration` when it serves a stale value after a failed load. */
export type StoredItem = { value: Entry; logicalExpiration: number; createdAt: number };

// One line of JSON, then the text: whether an entry is good is decided without parsing a large value.

/** Writes an entry as the stores keep it. */
export function packItem({ value: { text, ...head }, logicalExpiration, createdAt }: StoredItem): string {
  return `${JSON.stringify({ ...head, logicalExpiration, createdAt })}\n${text}`;
}

/** Reads what `packItem` wrote. */
export function unpackItem(packed: string): StoredItem {
  const { logicalExpiration, createdAt, ...head } = JSON.parse(headLine(packed));
  return {
    value: { ...head, text: packed.slice(headLine(packed).length + 1) },
    logicalExpiration,
    createdAt,
  };
}

/** The head alone; undefined for anything this code did not write, which then counts as a miss. */
export function readHead(packed: string): EntryHead | undefined {
  try {
    const head: unknown = JSON.parse(headLine(packed));
    return isHead(head) ? head : undefined;
  } catch {
    return undefined;
  }
}

/** JSON text of a loaded value; refuses what JSON would silently drop. */
export function encodeValue(value: unknown): string {
  if (value === undefined) return '';
  const text = JSON.stringify(value);
  if (text === undefined) throw new TypeError(`A ${typeof value} cannot be cached: loads return JSON values`);
  return text;
}

/** A fresh copy of the value. */
export function decodeValue<T>(text: string): T {
  return (text === '' ? undefined : JSON.parse(text)) as T;
}

function headLine(packed: string): string {
  const end = packed.indexOf('\n');
  return end < 0 ? '' : packed.slice(0, end);
}

function isHead(head: unknown): head is EntryHead & { logicalExpiration: number } {
  if (typeof head !== 'object' || head === null) return false;
  const { schema, generations, loadedAt, freshUntil, deadAt, logicalExpiration } = head as Record<
    string,
    unknown
  >;
  const numbers = [schema, loadedAt, freshUntil, deadAt, logicalExpiration];
  return numbers.every(Number.isFinite) && typeof generations === 'object' && generations !== null;
}
