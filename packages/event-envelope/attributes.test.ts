import { ulidFromUuid } from '@ghasi/domain-primitives/uuid';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { assertAttributes, messageAttributes } from './attributes.ts';
import { buildEnvelope } from './build.ts';
import { context, OrderPlaced, placed } from './fixtures/events.ts';

const traceId = '0af7651916cd43dd8448eb211c80319c'; // the example of the W3C recommendation
const correlationId = ulidFromUuid('0af76519-16cd-43dd-8448-eb211c80319c');
const traceparent = `00-${traceId}-b7ad6b7169203331-01`;
const envelope = buildEnvelope(OrderPlaced.from(placed, { aggregateVersion: 3 }), {
  ...context,
  correlationId,
});
const good = messageAttributes(envelope, traceparent);

describe('message attributes', () => {
  test('ENV-32, X-024, X-030: the five of the ledger and traceparent, all as text; the ordering key is none of them', () => {
    expect(good).toEqual({
      eventId: '0190b6a4-7c1e-7d3a-9b1f-000000000001',
      eventType: 'shop.orders.order.placed',
      eventVersion: '1',
      tenantId: '0190b6a4-7c1e-7d3a-9b1f-2f6c8f0a1b2c',
      idempotencyKey: 'ord_01J8ZQ4T3Y5V6W7X8Y9Z0A1B2C:placed:3',
      traceparent,
    });
  });

  test('ENV-09, X-024: for every correlation id, the trace of the same bits is accepted and read back', () => {
    const uuids = fc.uuid().map(uuid => ({ uuid, trace: uuid.replaceAll('-', '') }));
    fc.assert(
      fc.property(uuids, fc.stringMatching(/^[1-9a-f][0-9a-f]{15}$/), ({ uuid, trace }, span) => {
        const body = { ...envelope, correlationId: ulidFromUuid(uuid) };
        const attributes = messageAttributes(body, `00-${trace}-${span}-00`);
        expect(() => assertAttributes(JSON.parse(JSON.stringify(attributes)), body)).not.toThrow();
      }),
    );
  });

  test.each([
    ['of another trace', `00-${'1'.repeat(32)}-b7ad6b7169203331-01`, 'of another trace than correlationId'],
    ['without a span', `00-${traceId}-0000000000000000-01`, 'not a W3C traceparent'],
    ['in upper case', traceparent.toUpperCase(), 'not a W3C traceparent'],
    ['that is empty', '', 'not a W3C traceparent'],
  ])('X-024: a traceparent %s is refused', (_what, text, reason) => {
    expect(() => messageAttributes(envelope, text)).toThrow(reason);
    expect(() => assertAttributes({ ...good, traceparent: text }, envelope)).toThrow(reason);
  });

  test.each(Object.keys(good))('ENV-32: a message without %s is refused', name => {
    const { [name as keyof typeof good]: _gone, ...rest } = good;
    expect(() => assertAttributes(rest, envelope)).toThrow(name);
  });

  test.each([
    ['tenantId', '0190b6a4-7c1e-7d3a-9b1f-2f6c8f0affff'],
    ['eventVersion', '2'],
    ['eventId', '0190b6a4-7c1e-7d3a-9b1f-0000000000ff'],
    ['idempotencyKey', 'other'],
    ['eventType', 'shop.orders.order.held'],
  ])('ENV-32: an attribute %s that is not the body’s is refused', (name, value) => {
    const lie = { ...good, [name]: value };
    expect(() => assertAttributes(lie, envelope)).toThrow(`attribute ${name} is not what the body says`);
  });
});
