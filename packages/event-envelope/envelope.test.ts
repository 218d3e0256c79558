import { PLATFORM_TENANT_ID } from '@ghasi/domain-primitives/ids';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { buildEnvelope } from './build.ts';
import { type EventEnvelope, parseEnvelope, parseEnvelopeOf } from './envelope.ts';
import {
  ClerkAdded,
  context,
  FraudSuspected,
  OrderPlaced,
  placed,
  provenance,
  shop,
} from './fixtures/events.ts';

type Loose = Record<string, unknown> & { metadata: Record<string, unknown> };

/** A good envelope of OrderPlaced as it arrives from a broker, with some members changed. */
function arrived(change: object = {}, metadata: object = {}): Loose {
  const good = buildEnvelope(OrderPlaced.from(placed, { aggregateVersion: 3 }), context);
  const body = { ...good, ...change, metadata: { ...good.metadata, ...metadata } };
  return JSON.parse(JSON.stringify(body));
}

const read = (value: unknown): EventEnvelope => parseEnvelopeOf(OrderPlaced, value);
const other = '0190b6a4-7c1e-7d3a-9b1f-2f6c8f0affff';
const hash = `sha256-${'0'.repeat(64)}`;

describe('ENV-02: a bad envelope is refused with its reason', () => {
  test('the unchanged one is accepted, so every refusal below has one cause', () => {
    expect(read(arrived())).toEqual(arrived());
  });

  test.each([
    ['a v4 eventId', { eventId: '7c9e6679-7425-40de-944b-e07fc1f90ae7' }, 'eventId: not a UUIDv7'],
    ['an upper-case eventId', { eventId: context.eventId?.toUpperCase() }, 'eventId: not a UUIDv7'],
    ['an eventType with its version', { eventType: OrderPlaced.subject }, 'eventType: expected five'],
    ['an eventType outside the grammar', { eventType: 'order.placed' }, 'eventType: expected five'],
    ['another event', { eventType: 'shop.orders.order.held' }, 'schemaUri: of another event'],
    ['a version that is not the schema’s', { eventVersion: 2 }, 'eventVersion: 2, but schemaUri says 1'],
    ['a version in text', { eventVersion: '1' }, 'eventVersion: '],
    ['a schemaUri without hash', { schemaUri: 'schemas://orders/order/placed/v1' }, 'schemaUri: not'],
    ['no tenant', { tenantId: undefined }, 'tenantId: is missing'],
    ['a tenant that is no uuid', { tenantId: 'acme' }, 'tenantId: neither'],
    ['a correlationId that is a uuid', { correlationId: other }, 'correlationId: not a ULID'],
    [
      'a v4 causationId',
      { causationId: '7c9e6679-7425-40de-944b-e07fc1f90ae7' },
      'causationId: not a UUIDv7',
    ],
    ['an actor of no known kind', { actorId: { type: 'robot', id: 'r' } }, 'actorId.type: '],
    ['an actor that is only text', { actorId: 'usr_1' }, 'actorId: '],
    ['a local time', { occurredAt: '2026-03-19T08:00:00.000+04:30' }, 'occurredAt: not an instant'],
    ['30 February', { occurredAt: '2026-02-30T08:00:00.000Z' }, 'occurredAt: not a date that exists'],
    ['no idempotencyKey', { idempotencyKey: undefined }, 'idempotencyKey: is missing'],
    ['an empty idempotencyKey', { idempotencyKey: '' }, 'idempotencyKey: is empty'],
    ['a NUL in the idempotencyKey', { idempotencyKey: 'a\u0000b' }, 'idempotencyKey: has spaces or control'],
    ['no payload', { payload: undefined }, 'payload: is missing'],
    ['a payload that is a list', { payload: [] }, 'payload: '],
    ['a payload that does not fit', { payload: { ...placed, dueOn: 'soon' } }, 'payload: dueOn: '],
    ['a key its own schema does not know', { payload: { ...placed, x: 1 } }, 'Unrecognized key: "x"'],
  ])('ENV-04..12, ENV-17, ENV-18, ENV-30: refused is %s', (_title, change, reason) => {
    expect(() => read(arrived(change))).toThrow(reason);
  });

  test.each(['service', 'instance', 'commit', 'region'])('ENV-13..16: producedBy without %s', member => {
    const producedBy = { ...context.producedBy, [member]: undefined };
    expect(() => read(arrived({ producedBy }))).toThrow(`producedBy.${member}: is missing`);
  });

  test('CAT-07, ENV-13: a service that does not own the subject', () => {
    const producedBy = { ...context.producedBy, service: 'billing-service' };
    expect(() => read(arrived({ producedBy }))).toThrow('only orders-service may publish');
  });

  test.each([
    ['a class nobody knows', { retentionClass: 'frozen' }, 'metadata.retentionClass: '],
    ['a class that is not the registry’s', { retentionClass: 'cold' }, 'the registry says warm'],
    ['a region that is none', { dataResidency: 'Mars North' }, 'metadata.dataResidency: '],
    ['no region', { dataResidency: undefined }, 'metadata.dataResidency: '],
    ['fromOfflineReplay in text', { fromOfflineReplay: 'yes' }, 'metadata.fromOfflineReplay: '],
    ['an ordering key without tenant', { orderingKey: placed.orderId }, 'not <tenantId>:<aggregateId>'],
    ['an ordering key of another tenant', { orderingKey: `${other}:a` }, 'not <tenantId>:<aggregateId>'],
    ['a tenant alone', { orderingKey: `${context.tenantId}:` }, 'not <tenantId>:<aggregateId>'],
    ['another aggregate', { orderingKey: `${context.tenantId}:ord_2` }, 'of the payload'],
    ['an outboxId that is a uuid', { outboxId: context.outboxId }, 'metadata.outboxId: not a ULID'],
    ['version 0 of an aggregate', { aggregateVersion: 0 }, 'metadata.aggregateVersion: '],
    ['no version of the aggregate', { aggregateVersion: undefined }, 'aggregateVersion: is missing'],
    ['a source nobody knows', { source: 'fax' }, 'metadata.source: '],
  ])('ENV-20..22, ENV-24..26, ENV-42: refused is %s', (_title, metadata, reason) => {
    expect(() => read(arrived({}, metadata))).toThrow(reason);
  });

  test('ENV-06: eventVersion and schemaUri of another version than the declared subject', () => {
    const v2 = { eventVersion: 2, schemaUri: `schemas://orders/order/placed/v2#${hash}` };
    expect(parseEnvelope(arrived(v2)).eventVersion).toBe(2);
    expect(() => read(arrived(v2))).toThrow('it is a shop.orders.order.placed.v2, not a');
  });

  test('several faults come in one line, and values never do', () => {
    const bad = arrived({ eventId: 'Zmaray', tenantId: 'Gulalai' });
    expect(() => read(bad)).toThrow(/eventId: [^;]+; tenantId: /);
    expect(() => read(bad)).not.toThrow(/Zmaray|Gulalai/);
  });
});

test('ENV-24: a tenant alone is no ordering key, also for a reader that knows no payload', () => {
  const attempt = () => parseEnvelope(arrived({}, { orderingKey: `${context.tenantId}:` }));
  expect(attempt).toThrow('metadata.orderingKey: not <tenantId>:<aggregateId>');
});

describe('tenancy', () => {
  test('ENV-08, X-027, ANTI-06, MIG-16: platform is refused for a subject that is not on the list', () => {
    const metadata = { orderingKey: `platform:${placed.orderId}` };
    const attempt = () => read(arrived({ tenantId: 'platform' }, metadata));
    expect(attempt).toThrow('tenantId: shop.orders.order.placed.v1 is not on the list of platform');
  });

  test('ENV-08, X-027: a subject on the list may be the platform’s or a tenant’s', () => {
    const producedBy = { ...context.producedBy, service: 'login' };
    for (const tenantId of [PLATFORM_TENANT_ID, context.tenantId]) {
      const pending = ClerkAdded.from({ clerkId: 'c1' }, { aggregateVersion: 1 });
      const built = buildEnvelope(pending, { ...context, tenantId, producedBy });
      expect(built.tenantId).toBe(tenantId === PLATFORM_TENANT_ID ? 'platform' : tenantId);
      expect(parseEnvelopeOf(ClerkAdded, JSON.parse(JSON.stringify(built)))).toEqual(built);
    }
  });

  test('ENV-08, X-026: the uuid that storage reserves for the platform is no tenant of an envelope', () => {
    const metadata = { orderingKey: `${PLATFORM_TENANT_ID}:${placed.orderId}` };
    expect(() => parseEnvelope(arrived({ tenantId: PLATFORM_TENANT_ID }, metadata))).toThrow(
      'tenantId: neither',
    );
  });
});

describe('metadata', () => {
  /** Fills `metadata.note` so that the JSON has exactly this many bytes, with `unit` as filling. */
  function sized(bytes: number, unit: string): Loose {
    const encode = (value: unknown) => new TextEncoder().encode(JSON.stringify(value)).length;
    const free = bytes - encode(arrived({}, { note: '' }).metadata);
    const width = encode(unit) - 2;
    const note = unit.repeat(Math.floor(free / width)) + 'x'.repeat(free % width);
    const envelope = arrived({}, { note });
    expect(encode(envelope.metadata)).toBe(bytes);
    return envelope;
  }

  test.each(['x', 'س', '🛏', '"'])(
    'ENV-19, X-028: 4,096 bytes of UTF-8 pass and one more does not, in %s',
    unit => {
      expect(read(sized(4_096, unit)).eventId).toBe(context.eventId);
      expect(() => read(sized(4_097, unit))).toThrow('metadata: 4097 bytes of JSON, 4096 are allowed');
    },
  );

  test('X-028: extra members are allowed and kept', () => {
    expect(read(arrived({}, { traceNote: { a: [1] } })).metadata.traceNote).toEqual({ a: [1] });
  });

  test('metadata nested beyond reason is refused, not a crash', () => {
    const deep = JSON.parse(`${'['.repeat(5_000)}${']'.repeat(5_000)}`);
    const envelope = arrived();
    envelope.metadata.deep = deep;
    expect(() => read(envelope)).toThrow('metadata: ');
  });
});

describe('AI events', () => {
  const producedBy = { ...context.producedBy, service: 'watch-service' };
  const payload = { caseId: 'case_1', area: 'payment' as const };
  const occurrence = { aggregateVersion: 1, aiProvenance: provenance };
  const good = () => buildEnvelope(FraudSuspected.from(payload, occurrence), { ...context, producedBy });

  test('ENV-23, X-029: provenance travels whole', () => {
    expect(good().metadata.aiProvenance).toEqual(provenance);
    const hitl = { ...provenance, hitlDecisionRef: 'dec_1' };
    const decided = FraudSuspected.from(payload, { ...occurrence, aiProvenance: hitl });
    expect(buildEnvelope(decided, { ...context, producedBy }).metadata.aiProvenance).toEqual(hitl);
  });

  test('ENV-23, ENV-29, MIG-16: without provenance it is refused when built and when read', () => {
    const bare = FraudSuspected.from(payload, { aggregateVersion: 1 });
    expect(() => buildEnvelope(bare, { ...context, producedBy })).toThrow('metadata.aiProvenance: required');
    const { aiProvenance: _gone, ...metadata } = good().metadata;
    expect(() => parseEnvelopeOf(FraudSuspected, { ...good(), metadata })).toThrow('aiProvenance: required');
  });

  test.each(Object.keys(provenance))('X-029: provenance without %s is refused', member => {
    const metadata = { ...good().metadata, aiProvenance: { ...provenance, [member]: undefined } };
    const body = JSON.parse(JSON.stringify({ ...good(), metadata }));
    expect(() => parseEnvelope(body)).toThrow(`metadata.aiProvenance.${member}: `);
  });
});

describe('evolution', () => {
  const newer = { schemaUri: `schemas://orders/order/placed/v1#${hash}` };

  test('X-039: of a newer schema of the same version, unknown members are ignored at any depth', () => {
    const total = { ...placed.total, tax: '100' };
    const envelope = arrived({ ...newer, payload: { ...placed, total, mood: 'good' } });
    expect(read(envelope).payload).toEqual(placed);
    expect(read({ ...envelope, further: 1 })).not.toHaveProperty('further');
  });

  test('X-039: what we know must still fit', () => {
    const payload = { ...placed, mood: 'good', dueOn: 'soon' };
    expect(() => read(arrived({ ...newer, payload }))).toThrow('payload: dueOn: ');
  });

  test('REG-07: of a newer release, a value that an enum gained passes as it is, and nothing else that does not fit', () => {
    const from = (payload: object) =>
      parseEnvelopeOf(OrderPlaced, arrived({ ...newer, payload }), { newer: true });
    const kiosk = { ...placed, channel: 'kiosk' };
    expect(from({ ...kiosk, mood: 'good' }).payload).toEqual(kiosk);
    expect(() => read(arrived({ ...newer, payload: kiosk }))).toThrow('payload: channel: ');
    expect(() => from({ ...kiosk, dueOn: 'soon' })).toThrow('payload: dueOn: ');
    expect(() => from({ ...placed, channel: 7 })).toThrow('payload: channel: ');
    const same = arrived({ payload: kiosk });
    expect(() => parseEnvelopeOf(OrderPlaced, same, { newer: true })).toThrow('payload: channel: ');
  });

  test('REG-07: also the enum by which the branch of a union is found', () => {
    const branch = <Kind extends string>(...kinds: [Kind, ...Kind[]]) =>
      z.strictObject({ orderId: z.string(), by: z.enum(kinds) });
    const Paid = shop.defineEvent({
      subject: 'shop.orders.order.paid.v1',
      summary: 'an order was paid',
      retention: 'warm',
      payload: z.discriminatedUnion('by', [branch('card', 'voucher'), branch('cash')]),
      aggregateId: p => p.orderId,
      idempotencyKey: p => `${p.orderId}:paid`,
    });
    const paid = buildEnvelope(Paid.from({ orderId: 'o1', by: 'cash' }, { aggregateVersion: 1 }), context);
    const coupon = {
      ...paid,
      schemaUri: `schemas://orders/order/paid/v1#${hash}`,
      payload: { orderId: 'o1', by: 'coupon' },
    };
    expect(parseEnvelopeOf(Paid, coupon, { newer: true }).payload).toEqual({ orderId: 'o1', by: 'coupon' });
  });

  test('REG-06: of an older schema, a field that came later gets its default', () => {
    const { channel: _later, ...older } = placed;
    expect(read(arrived({ ...newer, payload: older })).payload).toEqual({ ...placed, channel: 'web' });
  });
});

test('anything that is not an envelope is refused with INVALID_ENVELOPE, never another error', () => {
  const anything = fc.oneof(fc.anything(), fc.record({ metadata: fc.anything(), payload: fc.anything() }));
  fc.assert(
    fc.property(anything, value => {
      expect(() => parseEnvelope(value)).toThrow(expect.objectContaining({ code: 'INVALID_ENVELOPE' }));
    }),
  );
});

test('one damaged member of a good envelope is refused with INVALID_ENVELOPE or harmless, never another error', () => {
  const names = Object.keys(arrived());
  fc.assert(
    fc.property(fc.constantFrom(...names), fc.jsonValue(), (name, value) => {
      const damaged = { ...arrived(), [name]: value };
      try {
        expect(parseEnvelopeOf(OrderPlaced, damaged).metadata.retentionClass).toBe('warm');
      } catch (error) {
        expect(error).toMatchObject({ code: 'INVALID_ENVELOPE' });
      }
    }),
  );
});
