import { errors } from './errors.ts';
import type { EventType } from './event-type.ts';
import { parseSchemaUri } from './schema-uri.ts';
import { type SubjectWords, splitSubject, subjectOf } from './subject.ts';
import { PLATFORM } from './tenant.ts';

/** What the rules look at; an envelope has it. */
type Facts = {
  readonly eventType: string;
  readonly eventVersion: number;
  readonly schemaUri: string;
  readonly tenantId: string;
  readonly producedBy: { readonly service: string };
  readonly metadata: {
    readonly orderingKey: string;
    readonly retentionClass: string;
    readonly aiProvenance?: object | undefined;
  };
};

/** The rules that tie members of one envelope to each other and need no catalogue; returns what is broken. */
export function envelopeRules(envelope: Facts): string[] {
  const subject = subjectWords(envelope);
  if (typeof subject === 'string') return [subject];
  return [schemaRule(envelope, subject), orderingRule(envelope)].filter(reason => reason !== undefined);
}

/** The rules that the declaration of an event adds; returns what is broken. */
export function eventRules(envelope: Facts, event: EventType): string[] {
  const subject = subjectOf(envelope);
  if (subject !== event.subject) return [`it is a ${subject}, not a ${event.subject}`];
  return [
    ownerRule(envelope, event),
    tenantRule(envelope, event),
    provenanceRule(envelope, event),
    retentionRule(envelope, event),
  ].filter(reason => reason !== undefined);
}

function subjectWords(envelope: Facts): SubjectWords | string {
  try {
    return splitSubject(subjectOf(envelope));
  } catch (error) {
    if (errors.INVALID_SUBJECT.is(error)) return `eventType: ${error.params.reason}`;
    throw error;
  }
}

function schemaRule({ schemaUri, eventVersion }: Facts, subject: SubjectWords): string | undefined {
  const uri = parseSchemaUri(schemaUri);
  if (uri === undefined) return 'schemaUri: not schemas://<service>/<aggregate>/<verb>/v<n>#sha256-<hash>';
  if (uri.version !== eventVersion) return `eventVersion: ${eventVersion}, but schemaUri says ${uri.version}`;
  const { service, aggregate = uri.aggregate, verb } = subject;
  const same = uri.service === service && uri.aggregate === aggregate && uri.verb === verb;
  return same ? undefined : 'schemaUri: of another event than eventType';
}

function orderingRule({ tenantId, metadata }: Facts): string | undefined {
  const start = `${tenantId}:`;
  if (metadata.orderingKey.startsWith(start) && metadata.orderingKey.length > start.length) return undefined;
  return 'metadata.orderingKey: not <tenantId>:<aggregateId>';
}

function ownerRule({ producedBy }: Facts, { owner }: EventType): string | undefined {
  if (producedBy.service === owner) return undefined;
  return `producedBy.service: only ${owner} may publish this subject`;
}

function tenantRule({ tenantId }: Facts, { subject, platform }: EventType): string | undefined {
  if (tenantId !== PLATFORM || platform) return undefined;
  return `tenantId: ${subject} is not on the list of platform events`;
}

function provenanceRule({ metadata }: Facts, { service, aiProvenance }: EventType): string | undefined {
  if (!aiProvenance || metadata.aiProvenance !== undefined) return undefined;
  return `metadata.aiProvenance: required on every event of ${service}`;
}

function retentionRule({ metadata }: Facts, { retention }: EventType): string | undefined {
  if (metadata.retentionClass === retention) return undefined;
  return `metadata.retentionClass: ${metadata.retentionClass}, but the registry says ${retention}`;
}
