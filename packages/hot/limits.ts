import { hotErrors } from './errors.ts';

/** Longest key in bytes: twice the ledger's 512 for a cache key (CACHE-01), which leaves room for prefixes. */
export const MAX_KEY_BYTES = 1024;

/** Largest value and largest message, unless a store is opened with another bound: 1 MiB. */
export const MAX_VALUE_BYTES = 1024 * 1024;

/** Longest time to live: 400 days. */
export const MAX_TTL_MS = 400 * 86_400_000;

/** Refuses keys that are empty, too long or not text that survives UTF-8 (two of those would meet in one key). */
export function assertKey(key: string): void {
  if (key === '') throw hotErrors.MALFORMED_KEY({ reason: 'it is empty' });
  if (!key.isWellFormed()) throw hotErrors.MALFORMED_KEY({ reason: 'it has half a surrogate pair' });
  const bytes = Buffer.byteLength(key);
  if (bytes > MAX_KEY_BYTES) {
    throw hotErrors.MALFORMED_KEY({
      reason: `${bytes} bytes, more than ${MAX_KEY_BYTES}: ${key.slice(0, 60)}…`,
    });
  }
}

/** Refuses values over the bound: one careless value must not stall everyone who shares the store. */
export function assertValue(key: string, value: string, limitBytes: number): void {
  const bytes = Buffer.byteLength(value);
  if (bytes > limitBytes) throw hotErrors.VALUE_TOO_LARGE({ key: key.slice(0, 60), bytes, limitBytes });
}

/** Refuses times that Redis would read as "delete now" or not at all. */
export function assertTtl(ttlMs: number | undefined): void {
  if (ttlMs === undefined) return;
  if (!Number.isInteger(ttlMs) || ttlMs < 1 || ttlMs > MAX_TTL_MS)
    throw hotErrors.MALFORMED_TTL({ ttlMs: String(ttlMs) });
}

/** Refuses scores without an order. */
export function assertScore(score: number): void {
  if (!Number.isFinite(score)) throw hotErrors.MALFORMED_SCORE({ reason: `score ${score}` });
}

/** Refuses ranges that the stores would read differently. */
export function assertRange(score: number, limit: number): void {
  assertScore(score);
  if (!Number.isSafeInteger(limit) || limit < 1)
    throw hotErrors.MALFORMED_SCORE({ reason: `limit ${limit}` });
}
