import { payloadHash } from '@ghasi/domain-primitives/canonical-json';
import { z } from 'zod';
import { errors } from './errors.ts';
import type { EventType } from './event-type.ts';
import { schemaHoles } from './schema-holes.ts';

/** A JSON Schema (draft 2020-12) as plain JSON. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** Where the envelope's own schema is registered; the only one that belongs to no service (ENV-03, X-013). */
export const ENVELOPE_SCHEMA_URI = 'schemas://platform/event_envelope/v1.json';

/** A schema URI taken apart; `hash` is 64 hex digits. */
export type SchemaUriParts = {
  readonly service: string;
  readonly aggregate: string;
  readonly verb: string;
  readonly version: number;
  readonly hash: string;
};

const known = new WeakMap<EventType, { readonly schema: JsonSchema; readonly uri: string }>();

/**
 * JSON Schema of the payload as it travels: a field with a default is optional there (REG-06). Throws INVALID_EVENT
 * when JSON Schema cannot say it (dates, bigints, transforms) or a part is open: loose or empty objects, any, unknown.
 */
export function payloadSchema(event: EventType): JsonSchema {
  return register(event).schema;
}

/** `schemas://<service>/<aggregate>/<verb>/v<n>#sha256-<hash>`, the hash over the canonical form of payloadSchema (ENV-07, REG-03). */
export function schemaUri(event: EventType): string {
  return register(event).uri;
}

/** Where the schema's file lives in a repository (REG-01, X-012). */
export function schemaPath({ service, aggregate, verb, version }: Omit<SchemaUriParts, 'hash'>): string {
  return `event-schemas/${service}/${aggregate}/${verb}/v${version}.json`;
}

/** Hash of a schema: what stands behind `#sha256-` in its URI. */
export function schemaHash(schema: JsonSchema): string {
  return payloadHash(schema);
}

/** Writes a schema URI. */
export function formatSchemaUri({ service, aggregate, verb, version, hash }: SchemaUriParts): string {
  return `schemas://${service}/${aggregate}/${verb}/v${version}#sha256-${hash}`;
}

const URI =
  /^schemas:\/\/([a-z0-9_]+)\/([a-z0-9_]+)\/([a-z0-9_]+)\/v([1-9][0-9]{0,3})#sha256-([0-9a-f]{64})$/;

/** Reads a schema URI; undefined for anything else. */
export function parseSchemaUri(text: string): SchemaUriParts | undefined {
  const [, service = '', aggregate = '', verb = '', version, hash = ''] = URI.exec(text) ?? [];
  if (version === undefined) return undefined;
  return { service, aggregate, verb, version: Number(version), hash };
}

function register(event: EventType): { readonly schema: JsonSchema; readonly uri: string } {
  const before = known.get(event);
  if (before !== undefined) return before;
  const schema = convert(event);
  const made = Object.freeze({ schema, uri: formatSchemaUri({ ...event, hash: schemaHash(schema) }) });
  known.set(event, made);
  return made;
}

function convert(event: EventType): JsonSchema {
  const refuse = (reason: string) => errors.INVALID_EVENT({ subject: event.subject, reason });
  let schema: JsonSchema;
  try {
    // What `from` makes of a payload is what travels. It refuses transforms: they would be done again by whoever reads it.
    z.toJSONSchema(event.payload, { io: 'output' });
    // Through text: zod leaves functions and getters on the object it returns.
    schema = JSON.parse(JSON.stringify(z.toJSONSchema(event.payload, { io: 'input' })));
  } catch (error) {
    throw refuse(`its payload has no JSON Schema: ${error instanceof Error ? error.message : error}`);
  }
  const holes = schemaHoles(schema, 'payload');
  if (holes.length > 0) throw refuse(holes.join('; '));
  return deepFreeze(schema);
}

function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  for (const child of Object.values(value)) deepFreeze(child);
  return Object.freeze(value);
}
