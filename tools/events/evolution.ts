import type { EventType } from '@ghasi/event-envelope/define-event';
import { payloadSchema, schemaHash, schemaPath } from '@ghasi/event-envelope/schema-uri';
import type { Finding } from '../gates/gate.ts';
import type { Changelog } from './changelog.ts';
import { LEAST_DAYS, latest, policiesOf, type ReleasedBundle, type ReleasedEvent } from './released.ts';
import { type Change, isAdditive, schemaChanges } from './schema-diff.ts';

/** What was released, what is declared now, and what was written about the way between the two. */
export type Evolution = {
  readonly released: ReleasedBundle;
  readonly events: readonly Declared[];
  readonly changelog: Changelog;
  /** The day on which it is asked. */
  readonly today: string;
};

/** What the rules ask of an event, declared in a contract or written in a bundle. */
export type Declared = Omit<ReleasedEvent, 'publishesOlderUntil'> & {
  readonly subject: string;
  readonly type: string;
  readonly version: number;
  /** The version before it is published too (REG-14). */
  readonly publishesOlder: boolean;
  /** The file a finding about it names. */
  readonly where: string;
};

/** An event as its contract declares it now. */
export function declaredNow(event: EventType): Declared {
  const { subject, type, version } = event;
  return {
    ...{ subject, type, version },
    ...policiesOf(event),
    publishesOlder: event.replaces?.downcast !== undefined,
    schema: payloadSchema(event),
    where: schemaPath(event),
  };
}

/** What the evolution rules refuse, and which bypasses were used. */
export function evolutionFindings(evolution: Evolution): { findings: Finding[]; used: string[] } {
  const { released, events, changelog, today } = evolution;
  const bySubject = new Map(events.map(event => [event.subject, event]));
  const problems = [
    ...Object.entries(released).flatMap(([subject, before]) => {
      const event = bySubject.get(subject);
      if (event === undefined) return [removed(subject, before)];
      return [
        ...sinceRelease(event, before, changelog),
        ...stoppedEarly(event, before, { changelog, today }),
      ];
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

function sinceRelease(event: Declared, before: ReleasedEvent, changelog: Changelog): Problem[] {
  const { subject, where, schema } = event;
  const policies: [string, unknown, unknown][] = [
    ['owner', before.owner, event.owner],
    ['retention class', before.retention, event.retention],
    ['cross-tenant flag', before.crossTenant, event.crossTenant],
    ['flag "of the platform too"', before.platform, event.platform],
    ['flag "says which AI wrote it"', before.aiProvenance, event.aiProvenance],
    ['aggregateId', before.aggregateId, event.aggregateId],
  ];
  const moved = policies
    .filter(([, was, is]) => was !== undefined && was !== is)
    .map(([name, was, is]) => ({
      subject,
      where,
      rule: 'REG-22',
      what: `${subject}: its ${name} was ${was} and is ${is}; stored events say ${was}`,
    }));
  const refused = schemaChanges(before.schema, schema).filter(
    change => !isAdditive(change) || isUnnoted(change, subject, changelog),
  );
  return [
    ...moved,
    ...refused.map(change => ({ subject, where, rule: change.rule, what: told(change, event) })),
  ];
}

/** REG-14: what was released beside its older version stays beside it until the day that was promised. */
function stoppedEarly(
  event: Declared,
  { publishesOlderUntil }: ReleasedEvent,
  { changelog, today }: Pick<Evolution, 'changelog' | 'today'>,
): Problem[] {
  if (publishesOlderUntil === undefined || event.publishesOlder) return [];
  const { subject, version, where } = event;
  const until = latest(publishesOlderUntil, runbookOf(event, changelog)?.until);
  if (today >= until) return [];
  const what = `${subject} lost its \`downcast\`: v${version - 1} was promised beside it until ${until}`;
  return [{ subject, where, rule: 'REG-14', what }];
}

function runbookOf({ subject }: Declared, { runbooks }: Changelog) {
  return runbooks.find(entry => entry.subject === subject);
}

function isUnnoted({ rule, value }: Change, subject: string, { enumNotes }: Changelog): boolean {
  return rule === 'REG-07' && !enumNotes.some(note => note.subject === subject && note.value === value);
}

function told(change: Change, { subject, type, version }: Declared): string {
  const fact = `${subject}: ${change.at} ${change.what}`;
  if (change.rule === 'REG-07') return `${fact}; note it under "Enum values" in CHANGELOG.events.md`;
  return `${fact}; declare ${type}.v${version + 1} with \`replaces\` and leave this version as it was released`;
}

function asNew(event: Declared, changelog: Changelog): Problem[] {
  const { subject, version } = event;
  if (version === 1) return [];
  const problem = (what: string) => [{ subject, where: 'CHANGELOG.events.md', rule: 'REG-20', what }];
  const runbook = runbookOf(event, changelog);
  if (runbook === undefined) return problem(`${subject} is new and has no entry under "Dual publish"`);
  if (!event.publishesOlder)
    return problem(`${subject} is new and has no \`downcast\`: v${version - 1} would stop at once (REG-14)`);
  if (runbook.days >= LEAST_DAYS) return [];
  return problem(
    `${subject} is published beside v${version - 1} for ${runbook.days} days, at least ${LEAST_DAYS} (REG-14)`,
  );
}

/** a line names subject, rule, incident and the very schema it is about, so that it excuses nothing else. */
function ticketFor(
  { subject, rule }: Problem,
  events: ReadonlyMap<string, Declared>,
  { bypasses }: Changelog,
): string | undefined {
  const event = events.get(subject);
  if (event === undefined) return undefined;
  const hash = schemaHash(event.schema);
  return bypasses.find(
    entry => entry.subject === subject && entry.rule === rule && hash.startsWith(entry.hash),
  )?.ticket;
}
