import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { EventType } from '@ghasi/event-envelope/define-event';
import { type JsonSchema, payloadSchema, schemaHash } from '@ghasi/event-envelope/schema-uri';
import { readReleased, releasedPath } from '../events/released.ts';
import { mergedText } from '../gates/merged.ts';
import { readText } from '../gates/tree.ts';
import { everyEvent } from './every-service.ts';
import type { FileSet } from './generator.ts';
import { jsonText } from './json-text.ts';

const path = 'event-schemas/hashes.json';

/**
 * REG-04: every schema that an event was ever merged with, the one of the last release, and today's; what is stored or on its
 * way has one of them.
 */
export const eventHashes: FileSet = hashesOf(everyEvent);

/** The same for any events. What was merged stays, so that a hash that somebody removed or edited is missed. */
export function hashesOf(load: () => Promise<readonly EventType[]>): FileSet {
  return {
    name: path,
    owns: file => file === path,
    async makeAll(root) {
      const merged = JSON.parse(mergedText(root, path) ?? before(root)) as Record<string, string[]>;
      const grown = new Map(Object.entries(merged));
      const add = (subject: string, schema: JsonSchema) => {
        const known = grown.get(subject) ?? [];
        const hash = schemaHash(schema);
        if (!known.includes(hash)) grown.set(subject, [...known, hash]);
      };
      const released = existsSync(join(root, releasedPath)) ? readReleased(root) : {};
      for (const [subject, { schema }] of Object.entries(released)) add(subject, schema);
      for (const event of await load()) add(event.subject, payloadSchema(event));
      const sorted = [...grown].toSorted(([a], [b]) => (a < b ? -1 : 1));
      return new Map([[path, jsonText(Object.fromEntries(sorted))]]);
    },
  };
}

/** The file of a tree in which none was merged yet. */
function before(root: string): string {
  return existsSync(join(root, path)) ? readText(root, path) : '{}';
}
