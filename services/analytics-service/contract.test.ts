import { contractConformance, refusalOf } from '@melmastoon/catalog/contract-conformance';
import { describe, expect, test } from 'vitest';
import { events, SnapshotComputed } from './contract.ts';
import { service } from './fixtures/open-analytics.ts';
import { samples } from './fixtures/samples.ts';

describe('EVT-76: the event of analytics-service', () => {
  contractConformance(events, samples);

  test('XT-02: it is the one of the ledger, of the class warm, and may be read across tenants', () => {
    expect(events.map(({ subject, retention, crossTenant }) => [subject, retention, crossTenant])).toEqual([
      ['melmastoon.analytics.snapshot.computed.v1', 'warm', true],
    ]);
    expect(service.publishes).toBe(events);
  });
});

test('ORD-10: four workers with sixteen messages each, in any order', () => {
  expect(service.delivery).toEqual({ mode: 'pull', instances: 4, concurrency: 16, order: 'any' });
});

test('EVT-76, PROJ-03: computed again from the same data it is the same fact, from more data another', () => {
  const key = (sourceWatermark: number, aggregateVersion: number) => {
    const payload = { ...samples[SnapshotComputed.subject], sourceWatermark } as never;
    return SnapshotComputed.from(payload, { aggregateVersion }).idempotencyKey;
  };
  expect(key(48_211, 1)).toBe('snp_01J8ZQ4T3Y5V6W7X8Y9Z0A1B2C:computed:48211');
  expect(key(48_211, 2)).toBe(key(48_211, 1));
  expect(key(48_212, 2)).toBe('snp_01J8ZQ4T3Y5V6W7X8Y9Z0A1B2C:computed:48212');
});

const money = (currency: string) => ({
  unit: 'money',
  name: 'room_revenue',
  value: { amount: '1', currency },
});

test.each([
  ['no metric at all', [], 'metrics'],
  ['a metric twice', [money('AFN'), money('AFN')], 'has a metric twice'],
  ['more than all of it', [{ unit: 'basis_points', name: 'occupancy', value: 10_001 }], 'metrics.0.value'],
  ['money that is a number', [{ unit: 'money', name: 'room_revenue', value: 59_400 }], 'metrics.0.value'],
  ['money of no currency', [money('AFX')], 'is no currency'],
  ['a share counted in pieces', [{ unit: 'count', name: 'occupancy', value: 8 }], 'metrics.0.name'],
])('EVT-76: %s is refused', (_what, metrics, reason) => {
  expect(refusalOf(SnapshotComputed, { ...samples[SnapshotComputed.subject], metrics })).toContain(reason);
});

test('EVT-76: revenue in two currencies is two metrics', () => {
  const metrics = [money('AFN'), money('USD')];
  expect(refusalOf(SnapshotComputed, { ...samples[SnapshotComputed.subject], metrics })).toBeUndefined();
});
