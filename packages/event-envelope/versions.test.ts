import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { buildEnvelope } from './build.ts';
import type { EventType } from './define-event.ts';
import { contexts } from './fixtures/arbitrary.ts';
import { context, OrderPlaced, placed, shop } from './fixtures/events.ts';
import { isPending } from './pending.ts';
import { expand, upcastPayload } from './versions.ts';

const shared = {
  summary: 'a parcel was sent',
  retention: 'warm' as const,
  aggregateId: (p: { parcelId: string }) => p.parcelId,
};

const SentV1 = shop.defineEvent({
  ...shared,
  subject: 'shop.orders.parcel.sent.v1',
  payload: z.strictObject({ parcelId: z.string(), kilos: z.int() }),
  idempotencyKey: p => `${p.parcelId}:v1`,
});

/** Grams instead of kilos: a renamed and finer field. */
const SentV2 = shop.defineEvent({
  ...shared,
  subject: 'shop.orders.parcel.sent.v2',
  payload: z.strictObject({ parcelId: z.string(), grams: z.int() }),
  idempotencyKey: p => `${p.parcelId}:sent`,
  replaces: {
    event: SentV1,
    downcast: ({ parcelId, grams }) => ({ parcelId, kilos: Math.ceil(grams / 1_000) }),
    upcast: ({ parcelId, kilos }) => ({ parcelId, grams: kilos * 1_000 }),
  },
});

const SentV3 = shop.defineEvent({
  ...shared,
  subject: 'shop.orders.parcel.sent.v3',
  payload: z.strictObject({ parcelId: z.string(), grams: z.int(), carrier: z.enum(['post', 'bike']) }),
  idempotencyKey: p => `${p.parcelId}:sent`,
  replaces: {
    event: SentV2,
    downcast: ({ parcelId, grams }) => ({ parcelId, grams }),
    upcast: p => ({ ...p, carrier: 'post' as const }),
  },
});

const parcel = { parcelId: 'par_1', grams: 2_400 };

describe('dual publish', () => {
  test('GEN-14, REG-14: a fact of v2 is published as v2 and as v1', () => {
    const pending = SentV2.from(parcel, { aggregateVersion: 7 });
    const [newest, older, ...rest] = expand(pending);
    expect(newest).toBe(pending);
    expect(older).toMatchObject({
      event: SentV1,
      payload: { parcelId: 'par_1', kilos: 3 },
      aggregateVersion: 7,
    });
    expect(rest).toEqual([]);
  });

  test('REG-14: the chain goes down to the oldest version that is still published', () => {
    const pending = SentV3.from({ ...parcel, carrier: 'bike' }, { aggregateVersion: 1 });
    expect(expand(pending).map(({ event }) => event.version)).toEqual([3, 2, 1]);
    expect(expand(SentV1.from({ parcelId: 'a', kilos: 1 }, { aggregateVersion: 1 }))).toHaveLength(1);
  });

  test('X-057: all versions of a fact share idempotency key, ordering key, version, parent and provenance', () => {
    fc.assert(
      fc.property(contexts, fc.integer({ min: 0, max: 10 ** 9 }), (where, grams) => {
        const pending = SentV3.from({ ...parcel, grams, carrier: 'post' }, { aggregateVersion: 4 });
        const [one, ...others] = expand(pending).map(version => buildEnvelope(version, where));
        for (const other of others) {
          expect(other.idempotencyKey).toBe(one?.idempotencyKey);
          expect(other.eventType).toBe(one?.eventType);
          expect(other.eventId).not.toBe(one?.eventId);
          expect(other.metadata.orderingKey).toBe(one?.metadata.orderingKey);
          expect(other.metadata.aggregateVersion).toBe(4);
        }
      }),
    );
  });

  test('what it makes are pending events, and a copy of one is refused', () => {
    const pending = SentV2.from(parcel, { aggregateVersion: 1 });
    expect(expand(pending).every(isPending)).toBe(true);
    expect(() => expand({ ...pending })).toThrow('made or copied by hand');
  });

  test('X-037: an older payload that does not fit, or is about another aggregate, fails the command', () => {
    const version = (downcast: (p: typeof parcel) => { parcelId: string; kilos: number }) =>
      shop.defineEvent({
        ...shared,
        subject: SentV2.subject,
        payload: SentV2.payload,
        idempotencyKey: p => p.parcelId,
        replaces: { event: SentV1, downcast, upcast: () => parcel },
      });
    const halves = version(({ parcelId, grams }) => ({ parcelId, kilos: grams / 1_000 }));
    const astray = version(() => ({ parcelId: 'par_2', kilos: 1 }));
    const at = { aggregateVersion: 1 };
    expect(() => expand(halves.from(parcel, at))).toThrow('shop.orders.parcel.sent.v1: payload: kilos: ');
    expect(() => expand(astray.from(parcel, at))).toThrow('would lose their order');
  });
});

describe('upcasting', () => {
  const stored = buildEnvelope(
    SentV1.from({ parcelId: 'par_1', kilos: 2 }, { aggregateVersion: 1 }),
    context,
  );

  test('X-078: a stored v1 is read as v2 and as v3, step by step', () => {
    expect(upcastPayload(SentV1, stored)).toEqual({ parcelId: 'par_1', kilos: 2 });
    expect(upcastPayload(SentV2, stored)).toEqual({ parcelId: 'par_1', grams: 2_000 });
    expect(upcastPayload(SentV3, stored)).toEqual({ parcelId: 'par_1', grams: 2_000, carrier: 'post' });
  });

  test('X-039, X-078: an unknown member of another schema is ignored before the first step', () => {
    const schemaUri = `schemas://orders/parcel/sent/v1#sha256-${'0'.repeat(64)}`;
    const newer = { ...stored, schemaUri, payload: { parcelId: 'par_1', kilos: 2, colour: 'red' } };
    expect(upcastPayload(SentV2, newer)).toEqual(parcelOf(2_000));
    expect(() => upcastPayload(SentV2, { ...newer, schemaUri: stored.schemaUri })).toThrow('colour');
  });

  test('an event of another type and a version newer than ours have no way', () => {
    const v3 = buildEnvelope(SentV3.from({ ...parcel, carrier: 'post' }, { aggregateVersion: 1 }), context);
    expect(() => upcastPayload(SentV2, v3)).toThrow('no way leads from shop.orders.parcel.sent.v3');
    const other = buildEnvelope(OrderPlaced.from(placed, { aggregateVersion: 1 }), context);
    expect(() => upcastPayload(SentV2, other)).toThrow('no way leads from shop.orders.order.placed.v1');
  });

  test('what an upcaster makes must fit, and the refusal shows no values', () => {
    const broken = shop.defineEvent({
      ...shared,
      subject: SentV2.subject,
      payload: SentV2.payload,
      idempotencyKey: p => p.parcelId,
      replaces: { event: SentV1, upcast: ({ parcelId }) => ({ parcelId, grams: 'secret' as never }) },
    });
    expect(() => upcastPayload(broken, stored)).toThrow('does not fit');
    expect(() => upcastPayload(broken, stored)).not.toThrow('secret');
  });

  function parcelOf(grams: number) {
    return { parcelId: 'par_1', grams };
  }
});

describe('declaration', () => {
  const declare = (subject: string, event?: EventType) => () =>
    shop.defineEvent({
      ...shared,
      subject,
      payload: z.strictObject({ parcelId: z.string() }),
      idempotencyKey: p => p.parcelId,
      ...(event === undefined ? {} : { replaces: { event, upcast: () => ({ parcelId: 'x' }) } }),
    });

  test('REG-14: a v2 says what it replaces, and that is the version before', () => {
    expect(declare('shop.orders.parcel.sent.v2')).toThrow('say in `replaces`');
    expect(declare('shop.orders.parcel.sent.v3', SentV1)).toThrow('it can only replace');
    expect(declare('shop.orders.parcel.lost.v2', SentV1)).toThrow('it can only replace');
    expect(declare('shop.orders.parcel.sent.v1', SentV1)).toThrow('it can only replace');
    expect(declare('shop.orders.parcel.sent.v2', { ...SentV1 })).toThrow('it can only replace');
  });
});
