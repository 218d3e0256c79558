import type { z } from 'zod';
import { declareEvent, type EventDefinition } from './define-event.ts';
import { errors } from './errors.ts';
import type { EventType } from './event-type.ts';
import { isPastTense } from './past-tense.ts';
import { refusal, type SubjectWords, splitSubject } from './subject.ts';

/** What a team fixes once for all its events. */
export type CatalogueFacts<Services extends Readonly<Record<string, string>>> = {
  /** First segment of every subject. */
  readonly prefix: string;
  /** Token of a service in a subject → the service. A table, because no rule gives all of them. */
  readonly services: Services;
  /** The file in which they are listed, for whoever wrote a token that is none. Default: not said. */
  readonly servicesIn?: string;
  /** Subjects published with four segments → the aggregate they imply. Default: none. */
  readonly legacySubjects?: Readonly<Record<string, string>>;
  /** Verbs that are no past tense and stay nevertheless. Default: none. */
  readonly verbs?: readonly string[];
  /** Tokens whose events may leave their tenant (XT-01). Default: none. */
  readonly crossTenant?: readonly (keyof Services & string)[];
  /** Subjects that may belong to the platform instead of a tenant → why. Default: none. */
  readonly platformSubjects?: Readonly<Record<string, string>>;
  /** Tokens whose events say which model made them (ENV-23). Default: none. */
  readonly aiProvenance?: readonly (keyof Services & string)[];
};

/** A subject of a catalogue, taken apart. */
export type SubjectParts = Omit<SubjectWords, 'prefix' | 'aggregate'> & {
  readonly aggregate: string;
  /** The only service that may publish it (CAT-07). */
  readonly owner: string;
};

/** The rules of one team and its `defineEvent`. */
export type EventCatalogue<Services extends Readonly<Record<string, string>>> = Required<
  CatalogueFacts<Services>
> & {
  /** Declares an event; a wrong declaration throws when the owner's contract is loaded. */
  defineEvent<Schema extends z.ZodType, Old = unknown>(
    definition: EventDefinition<Schema, Old>,
  ): EventType<z.output<Schema>>;
  /** Takes a subject apart, or throws INVALID_SUBJECT with the rule it breaks. */
  parseSubject(subject: string): SubjectParts;
  /** True when the text is a subject of this catalogue; whether somebody declared it is the registry's business. */
  isSubject(subject: string): boolean;
};

/** Makes a catalogue: `const { defineEvent } = eventCatalogue({ prefix: 'shop', services: { orders: 'orders-service' } })`. */
export function eventCatalogue<const Services extends Readonly<Record<string, string>>>(
  facts: CatalogueFacts<Services>,
): EventCatalogue<Services> {
  const none = {
    servicesIn: '',
    legacySubjects: {},
    verbs: [],
    crossTenant: [],
    platformSubjects: {},
    aiProvenance: [],
  };
  const rules: Required<CatalogueFacts<Services>> = { ...none, ...facts };
  const parse = (subject: string) => parseSubject(rules, subject);
  for (const subject of [...Object.keys(rules.legacySubjects), ...Object.keys(rules.platformSubjects)])
    parse(subject);

  return Object.freeze({
    ...rules,
    parseSubject: parse,
    isSubject: (subject: string) => isAcceptedBy(parse, subject),
    defineEvent: <Schema extends z.ZodType, Old = unknown>(definition: EventDefinition<Schema, Old>) => {
      const parts = parse(definition.subject);
      return declareEvent(definition, {
        ...parts,
        platform: Object.hasOwn(rules.platformSubjects, parts.subject),
        aiProvenance: rules.aiProvenance.includes(parts.service),
        mayCrossTenants: rules.crossTenant.includes(parts.service),
      });
    },
  });
}

function parseSubject(
  rules: Required<CatalogueFacts<Readonly<Record<string, string>>>>,
  subject: string,
): SubjectParts {
  const { prefix, aggregate: written, ...words } = splitSubject(subject);
  if (prefix !== rules.prefix) throw refusal(subject, `it must start with ${rules.prefix}.`);
  const { services, legacySubjects } = rules;
  const owner = Object.hasOwn(services, words.service) ? services[words.service] : undefined;
  if (owner === undefined) throw refusal(subject, noSuchToken(rules, words.service));
  const implied = Object.hasOwn(legacySubjects, subject) ? legacySubjects[subject] : undefined;
  const aggregate = written ?? implied;
  if (aggregate === undefined) throw refusal(subject, 'expected five segments, got 4');
  if (!rules.verbs.includes(words.verb) && !isPastTense(words.verb))
    throw refusal(subject, `verb "${words.verb}" is not past tense`);
  return { ...words, aggregate, owner };
}

function noSuchToken({ servicesIn }: { servicesIn: string }, token: string): string {
  const place = servicesIn === '' ? '' : ` in ${servicesIn}`;
  return `"${token}" is not a service token; they are \`services\` of eventCatalogue(…)${place}`;
}

function isAcceptedBy(parse: (subject: string) => unknown, subject: string): boolean {
  try {
    parse(subject);
    return true;
  } catch (error) {
    if (errors.INVALID_SUBJECT.is(error)) return false;
    throw error;
  }
}
