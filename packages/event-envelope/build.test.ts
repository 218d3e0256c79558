import { PLATFORM_TENANT_ID, type TenantId } from '@ghasi/domain-primitives/ids';
import { isUuid7, ulidFromUuid, uuid7, uuidFromUlid } from '@ghasi/domain-primitives/uuid';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { buildEnvelope, buildEnvelopeText } from './build.ts';
import { judgeEnvelopeOf, parseEnvelope, parseEnvelopeOf } from './envelope.ts';
import { contexts, payloads } from './fixtures/arbitrary.ts';
import { context, OrderPlaced, placed } from './fixtures/events.ts';
import { schemaUri } from './schema-uri.ts';
import { envelopeTenant, storedTenant } from './tenant.ts';

const pending = OrderPlaced.from(placed, { aggregateVersion: 3 });

describe('round trip', () => {
  test('ENV-01, ENV-02: the text of what is built passes every check of a reader and says the same', () => {
    fc.assert(
      fc.property(payloads, contexts, fc.integer({ min: 1 }), (payload, where, aggregateVersion) => {
        const pending = OrderPlaced.from(payload, { aggregateVersion });
        const { envelope, text } = buildEnvelopeText(pending, where);
        const wire = JSON.parse(text);
        expect(envelope).toEqual(wire);
        expect(judgeEnvelopeOf(OrderPlaced, wire)).toEqual(wire);
        expect(parseEnvelopeOf(OrderPlaced, wire)).toEqual(wire);
        expect(parseEnvelope(wire)).toEqual(wire);
        expect(wire.payload).toEqual(JSON.parse(JSON.stringify(payload)));
        expect(wire.metadata.orderingKey).toBe(`${where.tenantId}:${payload.orderId}`);
        expect(wire.occurredAt).toBe(where.occurredAt.toISOString());
      }),
    );
  });

  test('X-037: a payload that was changed after `from` is published as it was checked', () => {
    const late = OrderPlaced.from(placed, { aggregateVersion: 3 });
    Object.assign(late.payload, { dueOn: 'soon' });
    expect(JSON.parse(buildEnvelopeText(late, context).text).payload).toEqual(placed);
    const extra = { campaign: 'spring' };
    expect(JSON.parse(buildEnvelopeText(late, { ...context, extra }).text).payload).toEqual(placed);
  });
});

describe('buildEnvelope', () => {
  test('ENV-04..09, ENV-11..21, ENV-24..26: every member comes from the event or from the runtime', () => {
    expect(buildEnvelope(pending, context)).toEqual({
      eventId: '0190b6a4-7c1e-7d3a-9b1f-000000000001',
      eventType: 'shop.orders.order.placed',
      eventVersion: 1,
      schemaUri: schemaUri(OrderPlaced),
      tenantId: context.tenantId,
      correlationId: context.correlationId,
      actorId: context.actor,
      occurredAt: '2026-03-19T08:00:00.000Z',
      producedBy: context.producedBy,
      idempotencyKey: 'ord_01J8ZQ4T3Y5V6W7X8Y9Z0A1B2C:placed:3',
      payload: placed,
      metadata: {
        retentionClass: 'warm',
        dataResidency: 'me-central1',
        orderingKey: `${context.tenantId}:ord_01J8ZQ4T3Y5V6W7X8Y9Z0A1B2C`,
        outboxId: ulidFromUuid('0190b6a4-7c1e-7d3a-9b1f-000000000002'),
        aggregateVersion: 3,
      },
    });
  });

  test('ENV-25, X-022: outboxId is the row’s uuid in ULID text', () => {
    const { outboxId } = buildEnvelope(pending, context).metadata;
    expect(uuidFromUlid(outboxId)).toBe(context.outboxId);
  });

  test('ENV-04, ENV-25: ids that nobody gave are new UUIDv7, never the same twice', () => {
    const { eventId: _event, outboxId: _row, ...rest } = context;
    const [one, two] = [buildEnvelope(pending, rest), buildEnvelope(pending, rest)];
    expect(isUuid7(one.eventId) && isUuid7(uuidFromUlid(one.metadata.outboxId))).toBe(true);
    expect(one.eventId < two.eventId).toBe(true);
    expect(one.idempotencyKey).toBe(two.idempotencyKey);
  });

  test('ENV-10: the parent the handler names wins over the runtime’s', () => {
    const [theirs, ours] = [uuid7(), uuid7()];
    const caused = OrderPlaced.from(placed, { aggregateVersion: 3, causedBy: theirs });
    expect(buildEnvelope(caused, { ...context, causationId: ours }).causationId).toBe(theirs);
    expect(buildEnvelope(pending, { ...context, causationId: ours }).causationId).toBe(ours);
    expect(buildEnvelope(pending, context)).not.toHaveProperty('causationId');
  });

  test('ENV-22, X-036: an offline replay and the channel are said when they are known, and only then', () => {
    const { metadata } = buildEnvelope(pending, { ...context, fromOfflineReplay: true, source: 'ui' });
    expect(metadata).toMatchObject({ fromOfflineReplay: true, source: 'ui' });
    expect(buildEnvelope(pending, context).metadata).not.toHaveProperty('fromOfflineReplay');
  });

  test('X-028: extra members cannot replace the known ones', () => {
    const extra = { retentionClass: 'hot', orderingKey: 'x', campaign: 'spring' };
    const { metadata } = buildEnvelope(pending, { ...context, extra });
    expect(metadata).toEqual({ ...buildEnvelope(pending, context).metadata, campaign: 'spring' });
  });

  test('X-037: what `from` did not return is refused, also an exact copy', () => {
    const bent = { ...pending, payload: { ...placed, dueOn: 'soon' } };
    for (const copy of [bent, { ...pending }, { ...pending, idempotencyKey: '' }])
      expect(() => buildEnvelope(copy, context)).toThrow('made or copied by hand');
  });

  test.each([
    ['a tenant that is no uuid', { tenantId: 'acme' as TenantId }, 'tenantId: neither'],
    ['a correlation id that is a uuid', { correlationId: uuid7() as never }, 'correlationId: not a ULID'],
    ['a parent that is no UUIDv7', { causationId: 'parent' as never }, 'causationId: not a UUIDv7'],
    ['an actor of no known kind', { actor: { type: 'robot' as never, id: 'r' } }, 'actorId.type: '],
    ['an actor without id', { actor: { type: 'user' as const, id: '' } }, 'actorId.id: is empty'],
    ['a region that is none', { dataResidency: 'Mars North' }, 'metadata.dataResidency: '],
    ['a source nobody knows', { source: 'fax' as never }, 'metadata.source: '],
    ['extra members beyond 4 KiB', { extra: { note: 'x'.repeat(4_096) } }, '4096 are allowed'],
    ['extra members that are no JSON', { extra: { n: Number.NaN } }, 'metadata: '],
  ])('ENV-02, ENV-19, X-037: %s fails in the command that raised it', (_what, change, reason) => {
    expect(() => buildEnvelope(pending, { ...context, ...change })).toThrow(reason);
  });

  test('CAT-07: a service cannot publish what another owns', () => {
    const producedBy = { ...context.producedBy, service: 'iam-service' };
    expect(() => buildEnvelope(pending, { ...context, producedBy })).toThrow('only orders-service');
  });

  test('ENV-08, X-026: the platform’s rows become platform, which few subjects may be', () => {
    const attempt = () => buildEnvelope(pending, { ...context, tenantId: PLATFORM_TENANT_ID });
    expect(attempt).toThrow('is not on the list of platform events');
  });

  test('X-026: storage and envelope name the same tenant, there and back', () => {
    expect(envelopeTenant(PLATFORM_TENANT_ID)).toBe('platform');
    fc.assert(
      fc.property(fc.oneof(fc.uuid(), fc.constant(PLATFORM_TENANT_ID)), tenantId => {
        expect(storedTenant(envelopeTenant(tenantId as TenantId))).toBe(tenantId);
      }),
    );
  });
});
