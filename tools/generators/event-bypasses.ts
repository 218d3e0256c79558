import { committedChangelog } from '../gates/events.ts';
import type { FileSet } from './generator.ts';
import { jsonText } from './json-text.ts';

const path = 'event-schemas/bypasses.json';

/** REG-21, X-081: what passed against the rules, for `melm migrate`, which records each on the database it is deployed to. */
export const eventBypasses: FileSet = {
  name: path,
  owns: file => file === path,
  makeAll: async root => new Map([[path, jsonText(committedChangelog(root).bypasses)]]),
};
