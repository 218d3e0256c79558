import type { UUIDv7 } from '@ghasi/domain-primitives/uuid';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { defineEvent, type EventType, isEventType } from './define-event.ts';
import { BookingConfirmed, confirmed } from './fixtures/events.ts';
import type { RetentionClass } from './retention.ts';

const base = {
  subject: 'melmastoon.tenant.tenant.created.v1',
  summary: 'a tenant was onboarded',
  retention: 'warm' as RetentionClass,
  payload: z.strictObject({ tenantId: z.string() }),
  aggregateId: (p: { tenantId: string }) => p.tenantId,
  idempotencyKey: (p: { tenantId: string }) => `${p.tenantId}:created`,
};

describe('declaration', () => {
  test('a declared event knows the parts of its subject and its owner', () => {
    expect(defineEvent(base)).toMatchObject({
      subject: 'melmastoon.tenant.tenant.created.v1',
      type: 'melmastoon.tenant.tenant.created',
      version: 1,
      service: 'tenant',
      aggregate: 'tenant',
      verb: 'created',
      owner: 'tenant-service',
      retention: 'warm',
    });
  });

  test('events of different payloads fit in one list', () => {
    const list: readonly EventType[] = [defineEvent(base), BookingConfirmed];
    expect(list.every(isEventType)).toBe(true);
    expect([{ ...base }, { ...BookingConfirmed }, null, 'x'].some(isEventType)).toBe(false);
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
    ['an owner that the table does not name', { owner: 'iam-service' }, 'only tenant-service'],
    ['a subject outside the grammar', { subject: 'tenant.created' }, 'five segments'],
  ])('%s is refused when the contract is loaded', (_what, change, reason) => {
    const payload: z.ZodType = base.payload;
    const definition = { ...base, payload, aggregateId: () => 'a', idempotencyKey: () => 'k', ...change };
    expect(() => defineEvent<z.ZodType>(definition)).toThrow(reason);
  });

  test('XT-01: only analytics and search_aggregation may publish across tenants', () => {
    expect(() => defineEvent({ ...base, crossTenant: true })).toThrow('XT-01');
    const subject = 'melmastoon.analytics.snapshot.computed.v1';
    expect(defineEvent({ ...base, subject, crossTenant: true }).crossTenant).toBe(true);
  });
});

describe('from', () => {
  test('ENV-17, ENV-27: the idempotency key comes from the business intent, here id and version', () => {
    const pending = BookingConfirmed.from(confirmed, { aggregateVersion: 3 });
    expect(pending).toEqual({
      event: BookingConfirmed,
      payload: confirmed,
      aggregateId: confirmed.reservationId,
      aggregateVersion: 3,
      idempotencyKey: `${confirmed.reservationId}:confirmed:3`,
    });
    expect(BookingConfirmed.from(confirmed, { aggregateVersion: 3 })).toEqual(pending);
  });

  test('the parent travels along', () => {
    const causedBy = '0190b6a4-7c1e-7d3a-9b1f-00000000000a' as UUIDv7;
    expect(BookingConfirmed.from(confirmed, { aggregateVersion: 1, causedBy }).causedBy).toBe(causedBy);
  });

  test('a payload that does not fit is refused with the place, without its values', () => {
    const bad = { ...confirmed, arrival: 'soon-secret', guestName: 'Zmaray' };
    const attempt = () => BookingConfirmed.from(bad, { aggregateVersion: 1 });
    expect(attempt).toThrow(/confirmed\.v1: payload: arrival: .*Unrecognized key: "guestName"/);
    expect(attempt).not.toThrow(/soon-secret|Zmaray/);
  });

  test.each([0, -1, 1.5, Number.NaN, 2 ** 53])(
    'ENV-26: %s is no version of an aggregate',
    aggregateVersion => {
      expect(() => BookingConfirmed.from(confirmed, { aggregateVersion })).toThrow('aggregateVersion');
    },
  );

  test('ENV-30: an event whose key or aggregate is empty is refused', () => {
    const keyless = defineEvent({ ...base, idempotencyKey: () => '' });
    const homeless = defineEvent({ ...base, aggregateId: () => '' });
    expect(() => keyless.from({ tenantId: 't' }, { aggregateVersion: 1 })).toThrow('idempotencyKey');
    expect(() => homeless.from({ tenantId: 't' }, { aggregateVersion: 1 })).toThrow('aggregateId');
  });
});
