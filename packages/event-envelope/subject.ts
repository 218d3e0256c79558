import { errors } from './errors.ts';

/** A subject taken apart by the grammar alone; which subjects exist, and who owns them, a catalogue says. */
export type SubjectWords = {
  readonly subject: string;
  /** The subject without its version (ENV-05). */
  readonly type: string;
  readonly prefix: string;
  readonly service: string;
  /** Undefined in a subject of four segments: its catalogue implies it. */
  readonly aggregate: string | undefined;
  readonly verb: string;
  readonly version: number;
};

const SNAKE = /^[a-z][a-z0-9]*(_[a-z0-9]+)*$/;
const VERSION = /^v([1-9][0-9]{0,3})$/;
const MAX_LENGTH = 255; // the subject is also a Pub/Sub topic name (CAT-06)

/** Takes a subject apart, or throws INVALID_SUBJECT with the rule of the grammar it breaks (CAT-01, CAT-03, CAT-05). */
export function splitSubject(subject: string): SubjectWords {
  if (subject.length > MAX_LENGTH) throw refusal(subject, `longer than ${MAX_LENGTH} characters`);
  const segments = subject.split('.');
  const [prefix = '', service = '', ...rest] = segments;
  if (rest.length < 2 || rest.length > 3)
    throw refusal(subject, `expected five segments, got ${segments.length}`);
  const [aggregate, verb = '', tail = ''] = rest.length === 3 ? rest : [undefined, ...rest];

  for (const [name, word] of Object.entries({ prefix, service, aggregate, verb })) {
    if (word !== undefined && !SNAKE.test(word))
      throw refusal(subject, `${name} "${word}" is not snake_case`);
  }
  const version = VERSION.exec(tail)?.[1];
  if (version === undefined) throw refusal(subject, `"${tail}" is not a version such as v1`);
  const type = subject.slice(0, subject.lastIndexOf('.'));
  return { subject, type, prefix, service, aggregate, verb, version: Number(version) };
}

/** The subject an envelope belongs to: its type and version together (ENV-05, ENV-06). */
export function subjectOf({ eventType, eventVersion }: { eventType: string; eventVersion: number }): string {
  return `${eventType}.v${eventVersion}`;
}

/** INVALID_SUBJECT for a subject; a long one is shown by its beginning. */
export function refusal(subject: string, reason: string) {
  return errors.INVALID_SUBJECT({ subject: subject.slice(0, MAX_LENGTH), reason });
}
