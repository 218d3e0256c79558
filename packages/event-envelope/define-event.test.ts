import type { UUIDv7 } from '@ghasi/domain-primitives/uuid';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type EventType, isEventType } from './define-event.ts';
import { OrderPlaced, placed, shop } from './fixtures/events.ts';
import { isPending } from './pending.ts';
import type { RetentionClass } from './retention.ts';

const { defineEvent } = shop;
const base = {
  subject: 'shop.sign_in.clerk.created.v1',
  summary: 'a clerk got an account',
  retention: 'warm' as RetentionClass,
  payload: z.strictObject({ clerkId: z.string() }),
  aggregateId: (p: { clerkId: string }) => p.clerkId,
  idempotencyKey: (p: { clerkId: string }) => `${p.clerkId}:created`,
};

describe('declaration', () => {
  test('a declared event knows the parts of its subject and its owner', () => {
    expect(defineEvent(base)).toMatchObject({
      subject: 'shop.sign_in.clerk.created.v1',
      type: 'shop.sign_in.clerk.created',
      version: 1,
      service: 'sign_in',
      aggregate: 'clerk',
      verb: 'created',
      owner: 'login',
      retention: 'warm',
    });
  });

  test('events of different payloads fit in one list', () => {
    const list: readonly EventType[] = [defineEvent(base), OrderPlaced];
    expect(list.every(isEventType)).toBe(true);
    expect([{ ...base }, { ...OrderPlaced }, null, 'x'].some(isEventType)).toBe(false);
  });

  test.each([
    ['an empty payload', { payload: z.strictObject({}) }, 'empty'],
    ['a loose payload', { payload: z.looseObject({ a: z.string() }) }, 'z.strictObject'],
    ['a payload that drops keys silently', { payload: z.object({ a: z.string() }) }, 'z.strictObject'],
    ['a payload that is no object', { payload: z.string() }, 'must be a z.strictObject'],
    [
      'an open branch of a union',
      { payload: z.union([base.payload, z.object({ a: z.string() })]) },
      'strict',
    ],
    ['a retention class nobody knows', { retention: 'frozen' as RetentionClass }, 'hot, warm, cold'],
    ['no summary', { summary: ' ' }, 'summary'],
    ['a subject outside the grammar', { subject: 'clerk.created' }, 'five segments'],
  ])('%s is refused when the contract is loaded', (_what, change, reason) => {
    const payload: z.ZodType = base.payload;
    const definition = { ...base, payload, aggregateId: () => 'a', idempotencyKey: () => 'k', ...change };
    expect(() => defineEvent<z.ZodType>(definition)).toThrow(reason);
  });
});

describe('from', () => {
  test('ENV-17, ENV-27: the idempotency key comes from the business intent, here id and version', () => {
    const pending = OrderPlaced.from(placed, { aggregateVersion: 3 });
    expect(pending).toEqual({
      event: OrderPlaced,
      payload: placed,
      aggregateId: placed.orderId,
      aggregateVersion: 3,
      idempotencyKey: `${placed.orderId}:placed:3`,
    });
    expect(OrderPlaced.from(placed, { aggregateVersion: 3 })).toEqual(pending);
  });

  test('X-062: a correction has a key of its own, another for each', () => {
    const key = (correction?: number) =>
      OrderPlaced.from(placed, { aggregateVersion: 3, ...(correction ? { correction } : {}) }).idempotencyKey;
    expect([key(), key(1), key(2)]).toEqual([
      `${placed.orderId}:placed:3`,
      `${placed.orderId}:placed:3:fix1`,
      `${placed.orderId}:placed:3:fix2`,
    ]);
    expect(() => OrderPlaced.from(placed, { aggregateVersion: 3, correction: 0 })).toThrow('correction');
  });

  test('the parent travels along', () => {
    const causedBy = '0190b6a4-7c1e-7d3a-9b1f-00000000000a' as UUIDv7;
    expect(OrderPlaced.from(placed, { aggregateVersion: 1, causedBy }).causedBy).toBe(causedBy);
  });

  test('a payload that does not fit is refused with the place, without its values', () => {
    const bad = { ...placed, dueOn: 'soon-secret', clerkName: 'Zmaray' };
    const attempt = () => OrderPlaced.from(bad, { aggregateVersion: 1 });
    expect(attempt).toThrow(/placed\.v1: payload: dueOn: .*Unrecognized key: "clerkName"/);
    expect(attempt).not.toThrow(/soon-secret|Zmaray/);
  });

  test.each([0, -1, 1.5, Number.NaN, 2 ** 53])(
    'ENV-26: %s is no version of an aggregate',
    aggregateVersion => {
      expect(() => OrderPlaced.from(placed, { aggregateVersion })).toThrow('aggregateVersion');
    },
  );

  test.each([
    ['nothing', '', 'is empty'],
    ['a space', 'a b', 'has spaces or control characters'],
    ['a NUL', 'a\u0000', 'has spaces or control characters'],
    ['an Arabic letter mark', 'a\u061c', 'has spaces or control characters'],
    ['513 characters', 'k'.repeat(513), '<=512 characters'],
  ])('ENV-17, ENV-30, ANTI-04, MIG-16: an idempotency key of %s is refused', (_what, key, reason) => {
    const event = defineEvent({ ...base, idempotencyKey: () => key });
    expect(() => event.from({ clerkId: 'c' }, { aggregateVersion: 1 })).toThrow(/idempotencyKey: /);
    expect(() => event.from({ clerkId: 'c' }, { aggregateVersion: 1 })).toThrow(reason);
  });

  test('ENV-24, ENV-30: tenant, colon and aggregate fit into an ordering key of 512 characters', () => {
    const of = (aggregateId: string) => {
      const event = defineEvent({ ...base, aggregateId: () => aggregateId });
      return () => event.from({ clerkId: 'c' }, { aggregateVersion: 1 });
    };
    expect(of('')).toThrow('aggregateId: is empty');
    expect(of('س'.repeat(475))()).toMatchObject({ aggregateId: 'س'.repeat(475) });
    expect(of('k'.repeat(476))).toThrow('aggregateId: ');
  });

  test('what it was given stays the caller’s, and what it returned cannot be exchanged', () => {
    const given = structuredClone(placed);
    const pending = OrderPlaced.from(given, { aggregateVersion: 1 });
    given.total.amount = '1';
    given.lines.push('sofa');
    expect(pending.payload).toEqual(placed);
    expect(() => Object.assign(pending, { aggregateVersion: 2 })).toThrow(TypeError);
  });

  test.each([
    ['a NUL', 'a\u0000b', true],
    ['half of a surrogate pair', 'a\ud83d', true],
    ['the other half', '\udecf', true],
    ['a NUL after a backslash', '\\\u0000', true],
    ['a backslash, a u and digits', '\\u0000', false],
    ['another control character', '\u0001', false],
    ['a whole surrogate pair', '🛏', false],
  ])(
    'X-037: text that PostgreSQL cannot keep is refused here, not by the database: %s',
    (_what, text, bad) => {
      const attempt = () => OrderPlaced.from({ ...placed, lines: [text] }, { aggregateVersion: 1 });
      if (bad) expect(attempt).toThrow('which PostgreSQL cannot keep');
      else expect(attempt().payload.lines).toEqual([text]);
    },
  );

  test('X-037: only what it returned is a pending event; a copy is none', () => {
    const pending = OrderPlaced.from(placed, { aggregateVersion: 1 });
    expect(isPending(pending)).toBe(true);
    expect([{ ...pending }, structuredClone(placed), null, 'x'].some(isPending)).toBe(false);
  });
});
