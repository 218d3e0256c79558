import { errors } from './errors.ts';

/** Token of a service in a subject → its directory (CAT-12..33, X-006). A table, because no rule gives all of them. */
export const serviceTokens = {
  iam: 'iam-service',
  tenant: 'tenant-service',
  property: 'property-service',
  reservation: 'reservation-service',
  inventory: 'inventory-service',
  pricing: 'pricing-service',
  housekeeping: 'housekeeping-service',
  maintenance: 'maintenance-service',
  billing: 'billing-service',
  payment: 'payment-gateway-service',
  notification: 'notification-service',
  theme: 'theme-config-service',
  lock_integration: 'lock-integration-service',
  search_aggregation: 'search-aggregation-service',
  ai_orchestrator: 'ai-orchestrator-service',
  file: 'file-storage-service',
  reporting: 'reporting-service',
  analytics: 'analytics-service',
  audit: 'audit-service',
  sync: 'sync-service',
  staff: 'staff-service',
  bff_tenant_booking: 'bff-tenant-booking-service',
  bff_backoffice: 'bff-backoffice-service',
  bff_consumer: 'bff-consumer-service',
} as const;

/** The service segment of a subject. */
export type ServiceToken = keyof typeof serviceTokens;

/** The two subjects that were published with four segments; their aggregate is implied. Closed for ever. */
export const legacySubjects = {
  'melmastoon.file.uploaded.v1': 'object',
  'melmastoon.file.scanned.v1': 'object',
} as const;

/** Verbs that are no past tense and stay nevertheless. */
export const verbAllowList = ['error', 'no_show'] as const;

/** Past tenses that do not end in -ed; a new irregular verb is added here. */
const irregularPast = ['held', 'went'];

/** A subject taken apart. */
export type SubjectParts = {
  readonly subject: string;
  /** The subject without its version (ENV-05). */
  readonly type: string;
  readonly service: ServiceToken;
  readonly aggregate: string;
  readonly verb: string;
  readonly version: number;
  /** Directory of the only service that may publish it (CAT-07). */
  readonly owner: string;
};

const PREFIX = 'melmastoon';
const SNAKE = /^[a-z][a-z0-9]*(_[a-z0-9]+)*$/;
const VERSION = /^v([1-9][0-9]{0,3})$/;
const MAX_LENGTH = 255; // the subject is also a Pub/Sub topic name (CAT-06)

/** Takes a subject apart, or throws INVALID_SUBJECT with the rule it breaks. */
export function parseSubject(subject: string): SubjectParts {
  const refuse = (reason: string) =>
    errors.INVALID_SUBJECT({ subject: subject.slice(0, MAX_LENGTH), reason });
  if (subject.length > MAX_LENGTH) throw refuse(`longer than ${MAX_LENGTH} characters`);

  const segments = segmentsOf(subject);
  if (segments.length !== 5) throw refuse(`expected five segments, got ${segments.length}`);
  const [prefix = '', service = '', aggregate = '', verb = '', tail = ''] = segments;

  if (prefix !== PREFIX) throw refuse(`it must start with ${PREFIX}.`);
  if (!isServiceToken(service)) throw refuse(`"${service}" is not a service token`);
  if (!SNAKE.test(aggregate)) throw refuse(`aggregate "${aggregate}" is not snake_case`);
  if (!SNAKE.test(verb)) throw refuse(`verb "${verb}" is not snake_case`);
  if (!isPastTense(verb)) throw refuse(`verb "${verb}" is not past tense`);
  const version = VERSION.exec(tail)?.[1];
  if (version === undefined) throw refuse(`"${tail}" is not a version such as v1`);

  const type = subject.slice(0, subject.lastIndexOf('.'));
  const owner = serviceTokens[service];
  return { subject, type, service, aggregate, verb, version: Number(version), owner };
}

/** True when the text is a subject by the grammar; whether somebody declared it is the registry's business. */
export function isSubject(subject: string): boolean {
  try {
    parseSubject(subject);
    return true;
  } catch (error) {
    if (errors.INVALID_SUBJECT.is(error)) return false;
    throw error;
  }
}

/** The subject an envelope belongs to: its type and version together (ENV-05, ENV-06). */
export function subjectOf({ eventType, eventVersion }: { eventType: string; eventVersion: number }): string {
  return `${eventType}.v${eventVersion}`;
}

/** True for one of the 24 tokens. */
export function isServiceToken(token: string): token is ServiceToken {
  return Object.hasOwn(serviceTokens, token);
}

function segmentsOf(subject: string): string[] {
  const segments = subject.split('.');
  if (!Object.hasOwn(legacySubjects, subject)) return segments;
  return segments.toSpliced(2, 0, legacySubjects[subject as keyof typeof legacySubjects]);
}

function isPastTense(verb: string): boolean {
  if ((verbAllowList as readonly string[]).includes(verb)) return true;
  // `checked_in` and `dates_changed` carry the tense in any of their words.
  return verb.split('_').some(word => /[a-z]{2}ed$/.test(word) || irregularPast.includes(word));
}
