import type { JsonSchema } from '@ghasi/event-envelope/schema-uri';
import type { ReleasedHashes } from './registry.ts';

/** One subject as it was released: its policies, its schema, and every hash this version ever had, the newest last. */
export type ReleasedEvent = {
  readonly owner: string;
  readonly retention: string;
  readonly crossTenant: boolean;
  readonly hashes: readonly string[];
  readonly schema: JsonSchema;
};

/** What the last release published: subject → what it was (REG-02). Kept in `event-schemas/released.json`. */
export type ReleasedBundle = Readonly<Record<string, ReleasedEvent>>;

/** The hashes of a bundle, for `createRegistry`. */
export function hashesOf(bundle: ReleasedBundle): ReleasedHashes {
  return Object.fromEntries(Object.entries(bundle).map(([subject, { hashes }]) => [subject, hashes]));
}
