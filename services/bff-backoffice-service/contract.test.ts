import { contractConformance, refusalOf } from '@melmastoon/catalog/contract-conformance';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DeviceWentOffline, deviceStatuses, events } from './contract.ts';
import { samples } from './fixtures/samples.ts';
import { service } from './service.ts';

describe('EVT-86: the event of bff-backoffice-service', () => {
  contractConformance(events, samples);

  test('it is the one of the ledger, and warm', () => {
    expect(events.map(({ subject, retention }) => [subject, retention])).toEqual([
      ['melmastoon.bff_backoffice.device.went_offline.v1', 'warm'],
    ]);
    expect(service.publishes).toBe(events);
  });
});

test('EVT-86, X-136: one event per transition, however often the sweep sees the silence', () => {
  const seconds = fc.integer({ min: 0, max: 600 });
  const keyOf = (second: number, aggregateVersion: number) => {
    const lastHeartbeatAt = new Date(Date.UTC(2026, 2, 24, 9, 0, second)).toISOString();
    return DeviceWentOffline.from(sampleWith({ lastHeartbeatAt }) as never, { aggregateVersion })
      .idempotencyKey;
  };
  fc.assert(
    fc.property(seconds, seconds, (one, other) => {
      expect(keyOf(one, 1) === keyOf(other, 2)).toBe(one === other);
    }),
  );
});

test('EVT-86: a device that was heard after it was marked is refused', () => {
  const lastHeartbeatAt = '2026-03-24T09:20:00.000Z';
  expect(refusalOf(DeviceWentOffline, sampleWith({ lastHeartbeatAt }))).toContain('was heard after');
});

test('X-137: a device is online or offline', () => {
  expect(deviceStatuses).toEqual(['online', 'offline']);
});

function sampleWith(change: object) {
  return { ...samples[DeviceWentOffline.subject], ...change };
}
