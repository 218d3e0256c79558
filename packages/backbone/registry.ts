import { type EventType, isEventType } from '@ghasi/event-envelope/define-event';
import type { EventEnvelope } from '@ghasi/event-envelope/envelope';
import { parseSchemaUri, payloadSchema, schemaHash, schemaUri } from '@ghasi/event-envelope/schema-uri';
import { subjectOf } from '@ghasi/event-envelope/subject';
import { type CrossTenantPolicy, crossTenantPolicy } from './cross-tenant-policy.ts';

/** Subject → hashes of its payload schema that were released, in any order. */
export type ReleasedHashes = Readonly<Record<string, readonly string[]>>;

/** Every event of an installation. */
export type Registry = {
  readonly events: readonly EventType[];
  /** The event of a subject. */
  find(subject: string): EventType | undefined;
  /** The event of a type without version, and a version. */
  at(type: string, version: number): EventType | undefined;
  /** All versions of a type, the oldest first; empty when nobody declared it. */
  versions(type: string): readonly EventType[];
  /** The schema URI of a subject with today's hash (REG-03). */
  schemaUri(subject: string): string | undefined;
  /** Why an incoming envelope's schema is not one we know ('schema drift…'); undefined when it is (REG-04, X-080). */
  drift(envelope: Pick<EventEnvelope, 'eventType' | 'eventVersion' | 'schemaUri'>): string | undefined;
  /** True when its schema is none of ours: a newer release recorded it, so that its enums may have more values (REG-07). */
  isNewer(envelope: Pick<EventEnvelope, 'eventType' | 'eventVersion' | 'schemaUri'>): boolean;
  /** Hashes of all schemas that are known: today's, and what was ever released. */
  schemas(): ReleasedHashes;
  /** From where newer hashes come, for a producer that was deployed before us. Default: nowhere. */
  readFrom(source: () => Promise<ReleasedHashes>): void;
  /** Adds what was released meanwhile; call it once after a drift, before giving up (REG-04). Calls in flight share one read. */
  refresh(): Promise<void>;
  /** Why an event may not be published across tenants; undefined when it may. */
  crossTenantProblem(event: EventType): string | undefined;
};

/** What a registry knows beyond the declarations. */
export type RegistryOptions = {
  /** Hashes of earlier releases, which may still be stored or on their way. Default: none. */
  readonly released?: ReleasedHashes;
  /** Default: nobody may publish across tenants. */
  readonly crossTenant?: CrossTenantPolicy;
};

/** Makes a registry; throws when the declarations contradict each other. */
export function createRegistry(events: readonly EventType[], options: RegistryOptions = {}): Registry {
  const problems = registryProblems(events);
  if (problems.length > 0) throw new TypeError(`createRegistry: ${problems.join('; ')}`);
  const bySubject = new Map(events.map(event => [event.subject, event]));
  const byType = Map.groupBy(
    events.toSorted((a, b) => a.version - b.version),
    event => event.type,
  );
  const policy = options.crossTenant ?? crossTenantPolicy([]);
  const known = new KnownSchemas(events, options.released);

  return {
    events,
    find: subject => bySubject.get(subject),
    at: (type, version) => bySubject.get(subjectOf({ eventType: type, eventVersion: version })),
    versions: type => byType.get(type) ?? [],
    schemaUri: subject => {
      const event = bySubject.get(subject);
      return event === undefined ? undefined : schemaUri(event);
    },
    drift: envelope => {
      const event = bySubject.get(subjectOf(envelope));
      if (event === undefined) return `unknown subject: ${subjectOf(envelope).slice(0, 255)}`;
      return known.has(event, envelope.schemaUri)
        ? undefined
        : `schema drift: ${why(event, envelope.schemaUri)}`;
    },
    isNewer: envelope => known.isNewer(subjectOf(envelope), envelope.schemaUri),
    schemas: () => known.all(),
    readFrom: source => known.readFrom(source),
    refresh: () => known.refresh(),
    crossTenantProblem: policy.publishProblem,
  };
}

/** Which schemas were ever ours, by subject; none is ever forgotten. */
class KnownSchemas {
  readonly #hashes = new Map<string, Set<string>>();
  /** Those it was made with: of this release, and of releases before it. */
  readonly #own: ReleasedHashes;
  #reading: Promise<void> | undefined;
  #source: (() => Promise<ReleasedHashes>) | undefined;

  constructor(events: readonly EventType[], released: ReleasedHashes = {}) {
    this.#add(released);
    this.#add(Object.fromEntries(events.map(event => [event.subject, [hashOf(event)]])));
    this.#own = this.all();
  }

  has(event: EventType, uri: string): boolean {
    if (uri === schemaUri(event)) return true;
    const parts = parseSchemaUri(uri);
    if (parts === undefined || !isOf(event, parts)) return false;
    return this.#hashes.get(event.subject)?.has(parts.hash) ?? false;
  }

  isNewer(subject: string, uri: string): boolean {
    const hash = parseSchemaUri(uri)?.hash;
    if (hash === undefined || this.#own[subject]?.includes(hash)) return false;
    return this.#hashes.get(subject)?.has(hash) ?? false;
  }

  all(): ReleasedHashes {
    return Object.fromEntries([...this.#hashes].map(([subject, hashes]) => [subject, [...hashes]]));
  }

  readFrom(source: () => Promise<ReleasedHashes>): void {
    this.#source = source;
  }

  refresh(): Promise<void> {
    if (this.#source === undefined) return Promise.resolve();
    this.#reading ??= this.#source()
      .then(released => this.#add(released))
      .finally(() => {
        this.#reading = undefined;
      });
    return this.#reading;
  }

  #add(released: ReleasedHashes): void {
    for (const [subject, hashes] of Object.entries(released))
      this.#hashes.set(subject, new Set([...(this.#hashes.get(subject) ?? []), ...hashes]));
  }
}

function hashOf(event: EventType): string {
  return schemaHash(payloadSchema(event));
}

type Address = {
  readonly service: string;
  readonly aggregate: string;
  readonly verb: string;
  readonly version: number;
};

function isOf(event: Address, uri: Address): boolean {
  const names = ['service', 'aggregate', 'verb', 'version'] as const;
  return names.every(name => uri[name] === event[name]);
}

function why(event: EventType, uri: string): string {
  const parts = parseSchemaUri(uri);
  if (parts === undefined) return 'its schemaUri is none';
  if (!isOf(event, parts)) return `its schemaUri is of another event than ${event.subject}`;
  return `${event.subject} was never released with schema sha256-${parts.hash}`;
}

/** What is wrong with a set of events, in words; empty when they fit together. */
export function registryProblems(events: readonly EventType[]): string[] {
  const strangers = events.filter(event => !isEventType(event));
  if (strangers.length > 0) return [`${strangers.length} entries were not made by defineEvent`];
  return [
    ...[...Map.groupBy(events, event => event.subject)]
      .filter(([, same]) => same.length > 1)
      .map(([subject, same]) => `${subject} is declared ${same.length} times`),
    ...[...Map.groupBy(events, event => event.type.split('.').slice(0, 2).join('.'))].flatMap(ownerProblem),
    ...[...Map.groupBy(events, event => event.type)].flatMap(versionProblem),
  ];
}

/** CAT-07: one owner per service token, whatever catalogue its events came from. */
function ownerProblem([token, events]: [string, EventType[]]): string[] {
  const owners = [...new Set(events.map(event => event.owner))];
  return owners.length === 1 ? [] : [`${token}.* has several owners: ${owners.join(', ')}`];
}

/** Versions start at 1, have no hole, and each replaces the registered one before it. */
function versionProblem([type, events]: [string, EventType[]]): string[] {
  const versions = new Map(events.map(event => [event.version, event]));
  const newest = Math.max(...versions.keys());
  const missing = Array.from({ length: newest }, (_, index) => index + 1).filter(n => !versions.has(n));
  if (missing.length > 0) return [`${type} has a v${newest} but no v${missing.join(', v')}`];
  return [...versions.values()]
    .filter(({ version, replaces }) => version > 1 && replaces?.event !== versions.get(version - 1))
    .map(({ subject, version }) => `${subject} replaces another v${version - 1} than the registered one`);
}
