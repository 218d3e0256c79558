import { errors } from './errors.ts';
import { parseSchemaUri } from './schema-uri.ts';
import { parseSubject, type SubjectParts, subjectOf } from './subject.ts';
import { PLATFORM, platformSubjects } from './tenant.ts';

/** What the rules look at; an envelope has it. */
type Facts = {
  readonly eventType: string;
  readonly eventVersion: number;
  readonly schemaUri: string;
  readonly tenantId: string;
  readonly producedBy: { readonly service: string };
  readonly metadata: { readonly orderingKey: string; readonly aiProvenance?: object | undefined };
};

/** The rules that tie members of one envelope to each other; returns what is broken, empty when all is well. */
export function envelopeRules(envelope: Facts): string[] {
  const subject = subjectParts(envelope);
  if (typeof subject === 'string') return [subject];
  return [
    schemaRule(envelope, subject),
    ownerRule(envelope, subject),
    tenantRule(envelope, subject),
    orderingRule(envelope),
    provenanceRule(envelope, subject),
  ].filter(reason => reason !== undefined);
}

function subjectParts(envelope: Facts): SubjectParts | string {
  try {
    return parseSubject(subjectOf(envelope));
  } catch (error) {
    if (errors.INVALID_SUBJECT.is(error)) return `eventType: ${error.params.reason}`;
    throw error;
  }
}

function schemaRule({ schemaUri, eventVersion }: Facts, subject: SubjectParts): string | undefined {
  const uri = parseSchemaUri(schemaUri);
  if (uri === undefined) return 'schemaUri: not schemas://<service>/<aggregate>/<verb>/v<n>#sha256-<hash>';
  if (uri.version !== eventVersion) return `eventVersion: ${eventVersion}, but schemaUri says ${uri.version}`;
  const same =
    uri.service === subject.service && uri.aggregate === subject.aggregate && uri.verb === subject.verb;
  return same ? undefined : 'schemaUri: of another event than eventType';
}

function ownerRule({ producedBy }: Facts, { owner }: SubjectParts): string | undefined {
  if (producedBy.service === owner) return undefined;
  return `producedBy.service: only ${owner} may publish this subject`;
}

function tenantRule({ tenantId }: Facts, { subject }: SubjectParts): string | undefined {
  if (tenantId !== PLATFORM || platformSubjects.includes(subject)) return undefined;
  return `tenantId: ${subject} is not on the list of platform events`;
}

function orderingRule({ tenantId, metadata }: Facts): string | undefined {
  const start = `${tenantId}:`;
  if (metadata.orderingKey.startsWith(start) && metadata.orderingKey.length > start.length) return undefined;
  return 'metadata.orderingKey: not <tenantId>:<aggregateId>';
}

function provenanceRule({ metadata }: Facts, { service }: SubjectParts): string | undefined {
  if (service !== 'ai_orchestrator' || metadata.aiProvenance !== undefined) return undefined;
  return 'metadata.aiProvenance: required on every event of ai_orchestrator';
}
