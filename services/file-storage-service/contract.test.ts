import { contractConformance, refusalOf } from '@melmastoon/catalog/contract-conformance';
import { describe, expect, test } from 'vitest';
import { events, FileScanned, FileUploaded } from './contract.ts';
import { samples } from './fixtures/samples.ts';
import { service } from './service.ts';

describe('EVT-73..74: the events of file-storage-service', () => {
  contractConformance(events, samples);

  test('X-003: they are the two of the ledger, with four segments and the aggregate they imply, of the class warm', () => {
    expect(events.map(({ subject, aggregate, retention }) => [subject, aggregate, retention])).toEqual([
      ['melmastoon.file.uploaded.v1', 'object', 'warm'],
      ['melmastoon.file.scanned.v1', 'object', 'warm'],
    ]);
    expect(service.publishes).toBe(events);
  });
});

test.each([
  ['an empty file', { sizeBytes: 0 }, 'sizeBytes'],
  ['a name instead of a type', { contentType: 'photo.jpg' }, 'contentType'],
  ['half a hash', { sha256: 'ab' }, 'sha256'],
  ['a path', { purpose: '../../etc/passwd' }, 'purpose'],
])('EVT-73: %s is refused', (_what, change, field) => {
  expect(refusalOf(FileUploaded, { ...samples[FileUploaded.subject], ...change })).toContain(field);
});

test.each([
  ['clean', {}],
  ['infected', { threat: 'Win.Test.EICAR_HDB-1' }],
  ['unscannable', { reason: 'encrypted' }],
])('EVT-74: a verdict %s says what it must, no more and no less', (verdict, more) => {
  const judge = (change: object) =>
    refusalOf(FileScanned, { ...samples[FileScanned.subject], verdict, ...change });
  expect(judge(more)).toBeUndefined();
  expect(judge({ ...more, threat: 'x', reason: 'broken' })).toContain('Unrecognized');
});

test('EVT-74: an infection without its name is refused', () => {
  expect(refusalOf(FileScanned, { ...samples[FileScanned.subject], verdict: 'infected' })).toContain(
    'threat',
  );
});

test('EVT-74: newer signatures make another scan, the same ones the same scan', () => {
  const key = (signatures: string) => {
    const payload = { ...samples[FileScanned.subject], signatures } as never;
    return FileScanned.from(payload, { aggregateVersion: 2 }).idempotencyKey;
  };
  expect(key('27540')).toBe('fil_01J8ZQ4T3Y5V6W7X8Y9Z0A1B2C:scanned:clamav:27540');
  expect(key('27541')).toBe('fil_01J8ZQ4T3Y5V6W7X8Y9Z0A1B2C:scanned:clamav:27541');
});
