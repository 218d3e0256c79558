import type { z } from 'zod';

/**
 * A body that passed its schema before it was kept as text, in a cache for instance. It is sent as it is: reading it again,
 * checking it again and writing it again was a quarter of the time of an answer from the cache (from a profile). Only the schema it passed
 * may send it.
 */
export class CheckedJson {
  readonly schema: z.ZodType;
  readonly text: string;

  constructor(schema: z.ZodType, text: string) {
    this.schema = schema;
    this.text = text;
  }
}

/** An object that was kept as text with more fields, which must have been checked too and not be in it already. */
export function withFields(kept: string, more: object): string {
  const added = JSON.stringify(more);
  if (!kept.startsWith('{') || !kept.endsWith('}')) throw new TypeError('only an object can get more fields');
  if (kept === '{}' || added === '{}') return kept === '{}' ? added : kept;
  return `${kept.slice(0, -1)},${added.slice(1)}`;
}
