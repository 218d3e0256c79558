import { contractConformance, refusalOf } from '@melmastoon/catalog/contract-conformance';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ConflictRecorded, CursorAdvanced, conflictStrategies, events } from './contract.ts';
import { samples } from './fixtures/samples.ts';
import { service } from './service.ts';

const deviceId = 'dev_01J8ZQ4T3Y5V6W7X8Y9Z0A1B2C';

describe('EVT-79..80: the events of sync-service', () => {
  contractConformance(events, samples);

  test('they are the two of the ledger, of the classes hot and warm', () => {
    expect(events.map(({ subject, retention }) => [subject, retention])).toEqual([
      ['melmastoon.sync.cursor.advanced.v1', 'hot'],
      ['melmastoon.sync.conflict.recorded.v1', 'warm'],
    ]);
    expect(service.publishes).toBe(events);
  });
});

test('EVT-79: a cursor only moves forward, past no more changes than there are', () => {
  const place = fc.nat({ max: 12 });
  fc.assert(
    fc.property(place, place, place, (fromCursor, toCursor, changes) => {
      const refusal = refusalOf(CursorAdvanced, { deviceId, fromCursor, toCursor, changes });
      expect(refusal === undefined).toBe(fromCursor < toCursor && changes <= toCursor - fromCursor);
    }),
  );
});

test('EVT-79, X-074: many moves told as one are the same fact as the last of them', () => {
  const key = (fromCursor: number, toCursor: number) => {
    const payload = { deviceId, fromCursor, toCursor, changes: 1 } as never;
    return CursorAdvanced.from(payload, { aggregateVersion: 1 }).idempotencyKey;
  };
  expect(key(10, 30)).toBe(`${deviceId}:cursor:30`);
  expect(key(20, 30)).toBe(`${deviceId}:cursor:30`);
  expect(key(30, 40)).toBe(`${deviceId}:cursor:40`);
});

test.each(conflictStrategies)('EVT-80, SYNC-05..08, X-110: a conflict under %s can be told', strategy => {
  expect(refusalOf(ConflictRecorded, sampleOf({ strategy }))).toBeUndefined();
});

test.each([
  ['equal values', { serverHash: '1a'.repeat(32) }, 'both sides say the same'],
  ['a base the server never had', { baseVersion: 7 }, 'based on the future'],
  ['no field', { fields: [] }, 'fields'],
  ['a field twice', { fields: ['room_id', 'room_id'] }, 'names a field twice'],
  ['what the guest is called', { values: { guest_name: 'x' } }, 'values'],
  ['a strategy nobody knows', { strategy: 'FIRST_WRITE_WINS' }, 'strategy'],
])('EVT-80: a conflict with %s is refused', (_what, change, reason) => {
  expect(refusalOf(ConflictRecorded, sampleOf(change))).toContain(reason);
});

test('EVT-80: a record made offline or deleted on the server has no version there', () => {
  expect(refusalOf(ConflictRecorded, sampleOf({ baseVersion: null }))).toBeUndefined();
  expect(
    refusalOf(ConflictRecorded, sampleOf({ serverVersion: null, reason: 'deleted_on_server' })),
  ).toBeUndefined();
});

function sampleOf(change: object) {
  return { ...samples[ConflictRecorded.subject], ...change };
}
