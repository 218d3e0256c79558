import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { EventType } from '@ghasi/event-envelope/define-event';
import { payloadSchema, schemaHash } from '@ghasi/event-envelope/schema-uri';
import { readReleased, releasedPath } from '../events/released.ts';
import { mergedTexts } from '../gates/merged.ts';
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
      const grown = new Map<string, string[]>();
      const add = (subject: string, hash: string) => {
        const known = grown.get(subject) ?? [];
        if (!known.includes(hash)) grown.set(subject, [...known, hash]);
      };
      const merged = mergedTexts(root, path);
      for (const text of merged.length > 0 ? merged : [before(root)])
        for (const [subject, hashes] of Object.entries(JSON.parse(text) as Record<string, string[]>))
          for (const hash of hashes) add(subject, hash);
      const released = existsSync(join(root, releasedPath)) ? readReleased(root) : {};
      for (const [subject, { schema }] of Object.entries(released)) add(subject, schemaHash(schema));
      for (const event of await load()) add(event.subject, schemaHash(payloadSchema(event)));
      const sorted = [...grown].toSorted(([a], [b]) => (a < b ? -1 : 1));
      return new Map([[path, jsonText(Object.fromEntries(sorted))]]);
    },
  };
}

/** The file of a tree in which none was merged yet. */
function before(root: string): string {
  return existsSync(join(root, path)) ? readText(root, path) : '{}';
}
