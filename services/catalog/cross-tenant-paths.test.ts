import { expect, test } from 'vitest';
import { allTopicReaders, sink } from './all-topic-readers.ts';
import { catalogue } from './catalogue.ts';
import { crossTenantPaths } from './cross-tenant-paths.ts';

test('XT-01, XT-06: each row is about a subject of a service that may publish across tenants', () => {
  for (const { subject, owner, why } of crossTenantPaths) {
    const parts = catalogue.parseSubject(subject);
    expect(catalogue.crossTenant).toContain(parts.service);
    expect(parts.owner).toBe(owner);
    expect(why.length).toBeGreaterThan(10);
  }
});

test('XT-02, XT-03, X-084: the known rows with their readers', () => {
  const rows = crossTenantPaths.map(({ subject, readers }) => [
    subject.split('.').slice(2, 4).join('.'),
    readers[0],
  ]);
  expect(rows).toEqual([
    ['snapshot.computed', 'reporting-service'],
    ['listing.indexed', 'bff-consumer-service'],
    ['listing.evicted', 'bff-consumer-service'],
  ]);
});

test('XT-06: every reader is a service of the platform or the sink', () => {
  const known = new Set<string>([...Object.values(catalogue.services), sink]);
  for (const { readers } of crossTenantPaths) for (const reader of readers) expect(known).toContain(reader);
});

test('X-073, X-074: who reads everything leaves out its own events', () => {
  for (const { reader, except } of allTopicReaders)
    expect(Object.entries(catalogue.services)).toContainEqual([except, reader]);
});
