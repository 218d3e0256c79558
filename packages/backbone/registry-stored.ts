import { parseEnvelope, parseEnvelopeOf } from '@ghasi/event-envelope/envelope';
import { subjectOf } from '@ghasi/event-envelope/subject';
import { upcastPayload } from '@ghasi/event-envelope/versions';
import type { Registry } from './registry.ts';

/** One envelope that is kept somewhere: in a log, as a dead letter, in a schedule. */
export type StoredEnvelope = {
  /** Where it lies, in words a person can look up: `log 2026-03-20 shard 4 offset 17`. */
  readonly where: string;
  /** JSON text, or what JSON.parse made of it. */
  readonly envelope: unknown;
};

/** A stored envelope that today's code could not read, and why. */
export type StoredProblem = { readonly where: string; readonly subject: string; readonly reason: string };

/**
 * Which stored envelopes no longer parse: their subject is gone, their schema unknown, their payload refused, or no
 * upcaster brings them to the newest version. A release that leaves any behind would turn them into dead letters.
 */
export function storedProblems(rows: Iterable<StoredEnvelope>, registry: Registry): StoredProblem[] {
  const problems: StoredProblem[] = [];
  for (const row of rows) {
    const problem = problemOf(row, registry);
    if (problem !== undefined) problems.push({ where: row.where, ...problem });
  }
  return problems;
}

function problemOf(row: StoredEnvelope, registry: Registry): Omit<StoredProblem, 'where'> | undefined {
  let subject = 'unknown';
  try {
    const envelope = parseEnvelope(typeof row.envelope === 'string' ? readJson(row.envelope) : row.envelope);
    subject = subjectOf(envelope);
    const reason = registry.drift(envelope);
    const event = registry.find(subject);
    if (reason !== undefined || event === undefined) return { subject, reason: reason ?? 'unknown subject' };
    const newest = registry.versions(event.type).at(-1) ?? event;
    const age = { newer: registry.isNewer(envelope) };
    const read = parseEnvelopeOf(event, envelope, age);
    if (newest !== event) upcastPayload(newest, read, age);
    return undefined;
  } catch (error) {
    return { subject, reason: error instanceof Error ? error.message : String(error) };
  }
}

/** JSON.parse shows a piece of the text in its message, which may be personal. */
function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error('not JSON');
  }
}
