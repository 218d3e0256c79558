import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ReleasedBundle, ReleasedEvent } from '@ghasi/backbone/registry-released';
import type { EventType } from '@ghasi/event-envelope/define-event';
import { payloadSchema, schemaHash } from '@ghasi/event-envelope/schema-uri';
import { jsonText } from '../generators/json-text.ts';

/** What the last release published (REG-02, REG-17). */
export const releasedPath = 'event-schemas/released.json';

/** The bundle as it is committed. */
export function readReleased(root: string): ReleasedBundle {
  return JSON.parse(readFileSync(join(root, releasedPath), 'utf8')) as ReleasedBundle;
}

/** Writes a bundle the way the formatter wants it. */
export function writeReleased(root: string, bundle: ReleasedBundle): void {
  writeFileSync(join(root, releasedPath), jsonText(bundle));
}

/** The bundle of the next release: today's schemas, and every hash a subject ever had, for what is still stored. */
export function nextBundle(before: ReleasedBundle, events: readonly EventType[]): ReleasedBundle {
  const sorted = events.toSorted((a, b) => (a.subject < b.subject ? -1 : 1));
  return Object.fromEntries(sorted.map(event => [event.subject, released(event, before[event.subject])]));
}

function released(event: EventType, before: ReleasedEvent | undefined): ReleasedEvent {
  const schema = payloadSchema(event);
  const hash = schemaHash(schema);
  const earlier = (before?.hashes ?? []).filter(known => known !== hash);
  return {
    owner: event.owner,
    retention: event.retention,
    crossTenant: event.crossTenant ?? false,
    hashes: [...earlier, hash],
    schema,
  };
}
