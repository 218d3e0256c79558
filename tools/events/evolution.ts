import type { ReleasedBundle, ReleasedEvent } from '@ghasi/backbone/registry-released';
import type { EventType } from '@ghasi/event-envelope/define-event';
import { payloadSchema, schemaHash, schemaPath } from '@ghasi/event-envelope/schema-uri';
import type { Finding } from '../gates/gate.ts';
import type { Changelog } from './changelog.ts';
import { type Change, isAdditive, schemaChanges } from './schema-diff.ts';

/** Least time in which both versions are published (REG-14). */
const LEAST_DAYS = 14;

/** What was released, what is declared now, and what was written about the way between the two. */
export type Evolution = {
  readonly released: ReleasedBundle;
  readonly events: readonly EventType[];
  readonly changelog: Changelog;
};

/** What the evolution rules refuse, and which bypasses were used. */
export function evolutionFindings(evolution: Evolution): { findings: Finding[]; used: string[] } {
  const { released, events, changelog } = evolution;
  const bySubject = new Map(events.map(event => [event.subject, event]));
  const problems = [
    ...Object.entries(released).flatMap(([subject, before]) => {
      const event = bySubject.get(subject);
      return event === undefined ? [removed(subject, before)] : sinceRelease(event, before, changelog);
    }),
    ...events
      .filter(({ subject }) => !Object.hasOwn(released, subject))
      .flatMap(event => asNew(event, changelog)),
  ];
  const judged = problems.map(problem => ({ problem, ticket: ticketFor(problem, bySubject, changelog) }));
  return {
    findings: judged
      .filter(({ ticket }) => ticket === undefined)
      .map(({ problem: { where, rule, what } }) => ({ where, what: `${rule}: ${what}` })),
    used: judged
      .filter(({ ticket }) => ticket !== undefined)
      .map(
        ({ problem: { subject, rule }, ticket }) => `${subject} passes against ${rule} because of ${ticket}`,
      ),
  };
}

type Problem = {
  readonly subject: string;
  readonly where: string;
  readonly rule: string;
  readonly what: string;
};

function removed(subject: string, { owner }: ReleasedEvent): Problem {
  const what = `${subject} was released and is gone; ${owner} keeps its declaration, for stored events need it (X-078)`;
  return { subject, where: `services/${owner}/contract.ts`, rule: 'REG-15', what };
}

function sinceRelease(event: EventType, before: ReleasedEvent, changelog: Changelog): Problem[] {
  const { subject } = event;
  const where = schemaPath(event);
  const schema = payloadSchema(event);
  const policies: [string, unknown, unknown][] = [
    ['owner', before.owner, event.owner],
    ['retention class', before.retention, event.retention],
    ['cross-tenant flag', before.crossTenant, event.crossTenant ?? false],
  ];
  const moved = policies
    .filter(([, was, is]) => was !== is)
    .map(([name, was, is]) => ({
      subject,
      where,
      rule: 'REG-22',
      what: `${subject}: its ${name} was ${was} and is ${is}; stored events say ${was}`,
    }));
  if (before.hashes.at(-1) === schemaHash(schema)) return moved;
  const refused = schemaChanges(before.schema, schema).filter(
    change => !isAdditive(change) || isUnnoted(change, subject, changelog),
  );
  return [
    ...moved,
    ...refused.map(change => ({ subject, where, rule: change.rule, what: told(change, event) })),
  ];
}

function isUnnoted({ rule, value }: Change, subject: string, { enumNotes }: Changelog): boolean {
  return rule === 'REG-07' && !enumNotes.some(note => note.subject === subject && note.value === value);
}

function told(change: Change, { subject, type, version }: EventType): string {
  const fact = `${subject}: ${change.at} ${change.what}`;
  if (change.rule === 'REG-07') return `${fact}; note it under "Enum values" in CHANGELOG.events.md`;
  return `${fact}; declare ${type}.v${version + 1} with \`replaces\` and leave this version as it was released`;
}

function asNew(event: EventType, { runbooks }: Changelog): Problem[] {
  const { subject, version } = event;
  if (version === 1) return [];
  const problem = (what: string) => [{ subject, where: 'CHANGELOG.events.md', rule: 'REG-20', what }];
  const runbook = runbooks.find(entry => entry.subject === subject);
  if (runbook === undefined) return problem(`${subject} is new and has no entry under "Dual publish"`);
  if (event.replaces?.downcast === undefined)
    return problem(`${subject} is new and has no \`downcast\`: v${version - 1} would stop at once (REG-14)`);
  if (runbook.days >= LEAST_DAYS) return [];
  return problem(
    `${subject} is published beside v${version - 1} for ${runbook.days} days, at least ${LEAST_DAYS} (REG-14)`,
  );
}

/** a line names subject, rule, incident and the very schema it is about, so that it excuses nothing else. */
function ticketFor(
  { subject, rule }: Problem,
  events: ReadonlyMap<string, EventType>,
  { bypasses }: Changelog,
): string | undefined {
  const event = events.get(subject);
  if (event === undefined) return undefined;
  const hash = schemaHash(payloadSchema(event));
  return bypasses.find(
    entry => entry.subject === subject && entry.rule === rule && hash.startsWith(entry.hash),
  )?.ticket;
}
