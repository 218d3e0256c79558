import { contractConformance, refusalOf } from '@melmastoon/catalog/contract-conformance';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { EntryAppended, events, MerkleAnchored } from './contract.ts';
import { samples } from './fixtures/samples.ts';
import { service } from './service.ts';

const hash = 'f0'.repeat(32);

describe('EVT-77..78: the events of audit-service', () => {
  contractConformance(events, samples);

  test('they are the two of the ledger, of the class cold', () => {
    expect(events.map(({ subject, retention }) => [subject, retention])).toEqual([
      ['melmastoon.audit.entry.appended.v1', 'cold'],
      ['melmastoon.audit.merkle.anchored.v1', 'cold'],
    ]);
    expect(service.publishes).toBe(events);
  });
});

test('ORD-12: eight workers with 32 messages each, in any order', () => {
  expect(service.delivery).toEqual({ mode: 'pull', instances: 8, concurrency: 32, order: 'any' });
});

test('EVT-77: an event is recorded once, whatever the entry is called; a written entry counts by itself', () => {
  const key = (change: object) =>
    EntryAppended.from(sampleOf(EntryAppended, change) as never, { aggregateVersion: 1 }).idempotencyKey;
  expect(key({})).toBe('0190b6a4-7c1e-7d3a-9b1f-000000000001:appended');
  expect(key({ entryId: 'aud_01J8ZQ4T3Y5V6W7X8Y9Z0A1B2G' })).toBe(key({}));
  expect(key({ recordedEventId: null })).toBe('aud_01J8ZQ4T3Y5V6W7X8Y9Z0A1B2C:appended');
});

test('EVT-77: every entry but the first names the hash of the one before', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 3 }), fc.option(fc.constant(hash)), (position, previousHash) => {
      const refusal = refusalOf(EntryAppended, sampleOf(EntryAppended, { position, previousHash }));
      expect(refusal === undefined).toBe((position === 1) === (previousHash === null));
    }),
  );
});

test.each([
  ['a place before the first', { position: 0 }, 'position'],
  ['an action in words', { action: 'Invoice voided' }, 'action'],
  [
    'an event id that is no UUIDv7',
    { recordedEventId: 'f81d4fae-7dec-41d0-a765-00a0c91e6bf6' },
    'is no UUIDv7',
  ],
  ['a hash in capitals', { entryHash: hash.toUpperCase() }, 'entryHash'],
  ['values', { before: { gross: '551000' } }, 'before'],
])('EVT-77: %s is refused', (_what, change, reason) => {
  expect(refusalOf(EntryAppended, sampleOf(EntryAppended, change))).toContain(reason);
});

test('EVT-78: an anchor covers at least one entry, in order', () => {
  const place = fc.integer({ min: 1, max: 20 });
  fc.assert(
    fc.property(place, place, (firstPosition, lastPosition) => {
      const refusal = refusalOf(MerkleAnchored, sampleOf(MerkleAnchored, { firstPosition, lastPosition }));
      expect(refusal === undefined).toBe(firstPosition <= lastPosition);
    }),
  );
});

test('EVT-78: a day is anchored once in each place', () => {
  const key = (change: object) =>
    MerkleAnchored.from(sampleOf(MerkleAnchored, change) as never, { aggregateVersion: 1 }).idempotencyKey;
  expect(key({})).toBe('merkle:2026-03-21:timestamp_authority');
  expect(key({ anchorId: 'anc_01J8ZQ4T3Y5V6W7X8Y9Z0A1B2H', rootHash: hash })).toBe(key({}));
  expect(key({ medium: 'public_ledger' })).toBe('merkle:2026-03-21:public_ledger');
});

function sampleOf({ subject }: { subject: string }, change: object) {
  return { ...samples[subject], ...change };
}
