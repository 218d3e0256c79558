import { PLATFORM_TENANT_ID, type TenantId } from '@ghasi/domain-primitives/ids';
import { isUuid7, ulidFromUuid, uuid7, uuidFromUlid } from '@ghasi/domain-primitives/uuid';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type BuildContext, buildEnvelope } from './build.ts';
import { actorTypes, parseEnvelope, parseEnvelopeOf } from './envelope.ts';
import { BookingConfirmed, confirmed, context } from './fixtures/events.ts';
import { dataResidencies, sources } from './metadata.ts';
import { schemaUri } from './schema-uri.ts';
import { envelopeTenant, storedTenant } from './tenant.ts';

const pending = BookingConfirmed.from(confirmed, { aggregateVersion: 3 });

const id = fc.stringMatching(/^[A-Za-z0-9_:-]{1,60}$/);
const uuid = fc.integer({ min: 0, max: 2 ** 41 }).map(ms => uuid7(ms));
const payloads = fc.record({
  reservationId: id,
  arrival: fc.constantFrom('2026-03-20', '2028-02-29'),
  total: fc.record({ amount: fc.bigInt().map(String), currency: fc.constantFrom('AFN', 'USD') }),
  roomIds: fc.array(fc.string({ unit: 'grapheme' }), { maxLength: 5 }),
  channel: fc.constantFrom('web' as const, 'desk' as const),
});
const contexts: fc.Arbitrary<BuildContext> = fc.record(
  {
    tenantId: fc.uuid().map(text => text as TenantId),
    actor: fc.record({ type: fc.constantFrom(...actorTypes), id }),
    correlationId: fc.uuid().map(ulidFromUuid),
    causationId: uuid,
    occurredAt: fc.date({
      min: new Date('1970-01-01T00:00:00Z'),
      max: new Date('9999-12-31T00:00:00Z'),
      noInvalidDate: true,
    }),
    producedBy: fc.constant(context.producedBy),
    dataResidency: fc.constantFrom(...dataResidencies),
    source: fc.constantFrom(...sources),
    fromOfflineReplay: fc.boolean(),
    extra: fc.dictionary(fc.stringMatching(/^x[a-z]{1,8}$/), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 }),
  },
  {
    requiredKeys: ['tenantId', 'actor', 'correlationId', 'occurredAt', 'producedBy', 'dataResidency'],
  },
);

describe('round trip', () => {
  test('ENV-01, ENV-02: what is built goes through JSON and is read back the same', () => {
    fc.assert(
      fc.property(payloads, contexts, fc.integer({ min: 1 }), (payload, where, aggregateVersion) => {
        const built = buildEnvelope(BookingConfirmed.from(payload, { aggregateVersion }), where);
        const wire = JSON.parse(JSON.stringify(built));
        expect(parseEnvelopeOf(BookingConfirmed, wire)).toEqual(wire);
        expect(parseEnvelope(wire)).toEqual(wire);
        expect(wire.payload).toEqual(JSON.parse(JSON.stringify(payload)));
        expect(wire.metadata.orderingKey).toBe(`${where.tenantId}:${payload.reservationId}`);
        expect(wire.occurredAt).toBe(where.occurredAt.toISOString());
      }),
    );
  });
});

describe('buildEnvelope', () => {
  test('ENV-04..09, ENV-11..21, ENV-24..26: every member comes from the event or from the runtime', () => {
    expect(buildEnvelope(pending, context)).toEqual({
      eventId: '0190b6a4-7c1e-7d3a-9b1f-000000000001',
      eventType: 'melmastoon.reservation.booking.confirmed',
      eventVersion: 1,
      schemaUri: schemaUri(BookingConfirmed),
      tenantId: context.tenantId,
      correlationId: context.correlationId,
      actorId: context.actor,
      occurredAt: '2026-03-19T08:00:00.000Z',
      producedBy: context.producedBy,
      idempotencyKey: 'rsv_01J8ZQ4T3Y5V6W7X8Y9Z0A1B2C:confirmed:3',
      payload: confirmed,
      metadata: {
        retentionClass: 'warm',
        dataResidency: 'me-central1',
        orderingKey: `${context.tenantId}:rsv_01J8ZQ4T3Y5V6W7X8Y9Z0A1B2C`,
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
    const caused = BookingConfirmed.from(confirmed, { aggregateVersion: 3, causedBy: theirs });
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

  test('X-037: a pending event that was changed after `from` fails here', () => {
    const bent = { ...pending, payload: { ...confirmed, arrival: 'soon' } };
    expect(() => buildEnvelope(bent, context)).toThrow('payload: arrival: ');
    expect(() => buildEnvelope({ ...pending, idempotencyKey: '' }, context)).toThrow(
      'idempotencyKey: is empty',
    );
    expect(() => buildEnvelope({ ...pending, aggregateId: 'rsv_2' }, context)).toThrow('orderingKey');
  });

  test('CAT-07: a service cannot publish what another owns', () => {
    const producedBy = { ...context.producedBy, service: 'iam-service' };
    expect(() => buildEnvelope(pending, { ...context, producedBy })).toThrow('only reservation-service');
  });

  test('ENV-08, X-026: the platform’s rows become platform, which no subject may be yet', () => {
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
