import { numberOf } from './given.ts';

/** Flags of every list that may be long. */
export type CutFlags = { limit?: string; json?: boolean };

const MOST_SHOWN = 50;

/** How many rows to show: what was asked for; else 50 for a person, and all for a program, which would not see the cut. */
export function limitOf({ limit, json }: CutFlags): number | undefined {
  if (limit !== undefined) return numberOf('--limit', limit);
  return json === true ? undefined : MOST_SHOWN;
}

/** One more than is shown, to know whether there is more. */
export function oneMore(limit: number | undefined): { limit?: number } {
  return limit === undefined ? {} : { limit: limit + 1 };
}

/** What is shown of what was found, and the line that says what is not. */
export function cut<Row>(
  found: readonly Row[],
  limit: number | undefined,
): { rows: readonly Row[]; more: string } {
  if (limit === undefined || found.length <= limit) return { rows: found, more: '' };
  return { rows: found.slice(0, limit), more: `\n… and more than these ${limit}; --limit shows them` };
}
