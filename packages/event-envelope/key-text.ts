import { z } from 'zod';

/** Longest idempotency key and ordering key, in UTF-16 units; Pub/Sub and a PostgreSQL index take more. */
export const MAX_KEY = 512;

/** Text that may be a key or an id: visible characters, so that it survives PostgreSQL, attributes and logs. */
export const keyText = z
  .string()
  .min(1, 'is empty')
  .regex(/^[^\p{C}\p{Z}]*$/u, 'has spaces or control characters');

const VISIBLE_ASCII = /^[!-~]+$/;

/** True for most keys, at a tenth of the cost of asking keyText; a key in other letters is for keyText to judge. */
export function isPlainKey(text: unknown, max: number): text is string {
  return typeof text === 'string' && text.length <= max && VISIBLE_ASCII.test(text);
}

/** What is wrong with a key, undefined when nothing is. */
export function keyProblem(text: unknown, max: number): string | undefined {
  if (isPlainKey(text, max)) return undefined;
  return keyText.max(max).safeParse(text).error?.issues[0]?.message;
}
