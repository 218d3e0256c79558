import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EventType } from '@ghasi/event-envelope/define-event';
import { type JsonSchema, payloadSchema } from '@ghasi/event-envelope/schema-uri';
import { jsonText } from '../generators/json-text.ts';
import type { Changelog } from './changelog.ts';

/** One subject as it was released: its policies and its schema. Its hashes are in `event-schemas/hashes.json`. */
export type ReleasedEvent = {
  readonly owner: string;
  readonly retention: string;
  readonly crossTenant: boolean;
  /** May belong to the platform; must say which model wrote it. Absent in bundles of before they were noted. */
  readonly platform?: boolean;
  readonly aiProvenance?: boolean;
  /** The member of the payload it is taken from (ENV-24). Absent in bundles of before it was noted. */
  readonly aggregateId?: string;
  /** Day until which the version before is published too (REG-14); absent when it is not. */
  readonly publishesOlderUntil?: string;
  readonly schema: JsonSchema;
};

/** What a release published: subject → what it was (REG-02). */
export type ReleasedBundle = Readonly<Record<string, ReleasedEvent>>;

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

/** From what the next bundle is made; `today` is a day. */
export type Release = {
  readonly before: ReleasedBundle;
  readonly events: readonly EventType[];
  readonly changelog: Pick<Changelog, 'runbooks'>;
  readonly today: string;
};

/** Least time in which both versions are published (REG-14). */
export const LEAST_DAYS = 14;

/** The bundle of the next release: today's schemas, and until when each keeps the version before it alive. */
export function nextBundle(release: Release): ReleasedBundle {
  const sorted = release.events.toSorted((a, b) => (a.subject < b.subject ? -1 : 1));
  return Object.fromEntries(sorted.map(event => [event.subject, released(event, release)]));
}

function released(event: EventType, release: Release): ReleasedEvent {
  const schema = payloadSchema(event);
  if (event.replaces?.downcast === undefined) return { ...policiesOf(event), schema };
  return { ...policiesOf(event), publishesOlderUntil: olderUntil(event, release), schema };
}

/** What stored events of a subject rely on beside its schema. */
export function policiesOf(event: EventType) {
  const { owner, retention, crossTenant = false, platform, aiProvenance } = event;
  return { owner, retention, crossTenant, platform, aiProvenance, aggregateId: aggregateMember(event) };
}

/** What its `aggregateId` reads, told by a payload in which every member is its own name. */
function aggregateMember(event: EventType): string {
  const names = new Proxy({}, { get: (_payload, name) => name, has: () => true });
  try {
    return String(event.aggregateId(names));
  } catch {
    return 'computed'; // it wants more of a member than its text
  }
}

/** As written, but not before two weeks after the release with which it began: what was planned may have come late. */
function olderUntil({ subject }: EventType, { before, changelog, today }: Release): string {
  const begun = before[subject]?.publishesOlderUntil ?? daysAfter(today, LEAST_DAYS);
  return latest(begun, changelog.runbooks.find(entry => entry.subject === subject)?.until);
}

/** The later of two days. */
export function latest(day: string, other = ''): string {
  return other > day ? other : day;
}

function daysAfter(day: string, days: number): string {
  return new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10);
}
