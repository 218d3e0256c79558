import { createHash } from 'node:crypto';
import { canonicalJson } from '@ghasi/domain-primitives/canonical-json';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { envelopeSchema } from './envelope-schema.ts';
import { OrderPlaced, shop } from './fixtures/events.ts';
import {
  ENVELOPE_SCHEMA_URI,
  formatSchemaUri,
  parseSchemaUri,
  payloadSchema,
  schemaPath,
  schemaUri,
} from './schema-uri.ts';

function eventOf(payload: z.ZodType, subject = 'shop.sign_in.clerk.created.v1') {
  const rest = { summary: 'x happened', retention: 'warm' as const };
  return shop.defineEvent({ subject, ...rest, payload, aggregateId: () => 'a', idempotencyKey: () => 'k' });
}

describe('schema URI', () => {
  test('ENV-07, REG-03: it names the event and the SHA-256 of the canonical schema', () => {
    const hash = createHash('sha256')
      .update(canonicalJson(payloadSchema(OrderPlaced)))
      .digest('hex');
    expect(schemaUri(OrderPlaced)).toBe(`schemas://orders/order/placed/v1#sha256-${hash}`);
  });

  test('ENV-07: what is written can be read back', () => {
    const word = fc.stringMatching(/^[a-z][a-z0-9_]{0,10}$/);
    const parts = fc.record({
      service: word,
      aggregate: word,
      verb: word,
      version: fc.integer({ min: 1, max: 9_999 }),
      hash: fc.stringMatching(/^[0-9a-f]{64}$/),
    });
    fc.assert(
      fc.property(parts, uri => {
        expect(parseSchemaUri(formatSchemaUri(uri))).toEqual(uri);
      }),
    );
  });

  test.each([
    'schemas://nobody/a/b/v1',
    `schemas://sign-in/a/b/v1#sha256-${'0'.repeat(64)}`,
    `schemas://sign_in/a/b/v0#sha256-${'0'.repeat(64)}`,
    `schemas://sign_in/a/b/v1#sha256-${'0'.repeat(63)}`,
    `schemas://sign_in/a/b/v1#sha256-${'A'.repeat(64)}`,
    'schemas://platform/event_envelope/v1.json',
    '',
  ])('"%s" is not the schema URI of an event', text => {
    expect(parseSchemaUri(text)).toBeUndefined();
  });

  test('REG-01, X-003: the file of a legacy subject lies under its implied aggregate', () => {
    expect(schemaPath(eventOf(z.strictObject({ a: z.string() }), 'shop.orders.imported.v1'))).toBe(
      'event-schemas/orders/order/imported/v1.json',
    );
  });

  test('the same fields give the same hash, one more field gives another', () => {
    const ab = eventOf(z.strictObject({ a: z.string(), b: z.int() }));
    const same = eventOf(z.strictObject({ a: z.string(), b: z.int() }));
    const more = eventOf(z.strictObject({ a: z.string(), b: z.int(), c: z.string().default('') }));
    expect(schemaUri(ab)).toBe(schemaUri(same));
    expect(schemaUri(ab)).not.toBe(schemaUri(more));
  });

  test('REG-06: a field with a default is optional on the wire', () => {
    expect(payloadSchema(OrderPlaced).required).toEqual(['orderId', 'dueOn', 'total', 'lines']);
  });

  test('ENV-03, X-013: the envelope has a schema of its own', () => {
    expect(ENVELOPE_SCHEMA_URI).toBe('schemas://platform/event_envelope/v1.json');
    const required = envelopeSchema().required as string[];
    const ids = ['eventId', 'eventType', 'eventVersion', 'schemaUri', 'tenantId', 'correlationId'];
    const facts = ['actorId', 'occurredAt', 'producedBy', 'idempotencyKey', 'payload', 'metadata'];
    expect(required).toEqual([...ids, ...facts]);
  });
});

describe('a payload that a consumer could not rely on', () => {
  test.each([
    ['a Date', z.strictObject({ at: z.date() }), 'no JSON Schema'],
    ['a bigint', z.strictObject({ n: z.bigint() }), 'no JSON Schema'],
    ['a transform', z.strictObject({ n: z.string().transform(Number) }), 'no JSON Schema: Transforms'],
    ['anything', z.strictObject({ x: z.any() }), 'payload.x may be anything'],
    ['unknown in a list', z.strictObject({ xs: z.array(z.unknown()) }), 'payload.xs[] may be anything'],
    ['a loose part', z.strictObject({ x: z.looseObject({ a: z.string() }) }), 'payload.x is not strict'],
    ['a part that drops keys', z.strictObject({ x: z.object({ a: z.string() }) }), 'payload.x is not strict'],
    ['an empty part', z.strictObject({ x: z.strictObject({}) }), 'payload.x is an empty object'],
    [
      'a map of anything',
      z.strictObject({ x: z.record(z.string(), z.any()) }),
      'payload.x{} may be anything',
    ],
  ])('%s is refused', (_what, payload, reason) => {
    expect(() => schemaUri(eventOf(payload))).toThrow(reason);
  });

  test('a map with a schema for its values, nullable and optional parts are fine', () => {
    const shelves = z.record(z.string(), z.strictObject({ n: z.int() }));
    const payload = z.strictObject({ shelves, note: z.string().nullable(), more: z.string().optional() });
    expect(schemaUri(eventOf(payload))).toMatch(
      /^schemas:\/\/sign_in\/clerk\/created\/v1#sha256-[0-9a-f]{64}$/,
    );
  });
});
