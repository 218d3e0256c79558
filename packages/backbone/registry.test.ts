import { buildEnvelope } from '@ghasi/event-envelope/build';
import { eventCatalogue } from '@ghasi/event-envelope/catalogue';
import { schemaUri } from '@ghasi/event-envelope/schema-uri';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { declare, where } from './fixtures/registry-events.ts';
import { createRegistry, type ReleasedHashes, registryProblems } from './registry.ts';

const v1 = declare('lab.samples.sample.taken.v1');
const v2 = declare('lab.samples.sample.taken.v2', { older: v1 });
const lost = declare('lab.samples.sample.lost.v1');
const atlas = declare('lab.atlas.map.drawn.v1', { crossTenant: true });

/** An envelope of v1 that says it has another schema. */
function arrived(hash: string, address = 'samples/sample/taken/v1') {
  const envelope = buildEnvelope(v1.from({ id: 's1', grams: 5 }, { aggregateVersion: 1 }), where);
  return { ...envelope, schemaUri: `schemas://${address}#sha256-${hash.repeat(64)}` };
}

describe('looking up', () => {
  const registry = createRegistry([v2, lost, v1]);

  test('REG-22: an event is found by its subject, and by its type and version', () => {
    expect(registry.find('lab.samples.sample.taken.v2')).toBe(v2);
    expect(registry.at('lab.samples.sample.taken', 1)).toBe(v1);
    expect(registry.find('lab.samples.sample.eaten.v1')).toBeUndefined();
    expect(registry.find('constructor')).toBeUndefined();
  });

  test('versions come the oldest first', () => {
    expect(registry.versions('lab.samples.sample.taken')).toEqual([v1, v2]);
    expect(registry.versions('lab.samples.sample')).toEqual([]);
  });

  test('REG-03: a subject has today’s schema URI', () => {
    expect(registry.schemaUri(lost.subject)).toBe(schemaUri(lost));
    expect(registry.schemaUri('nothing')).toBeUndefined();
  });
});

describe('schema drift', () => {
  const released: ReleasedHashes = { [v1.subject]: ['a'.repeat(64)], [lost.subject]: ['b'.repeat(64)] };

  test('REG-04: today’s schema and released ones are known', () => {
    const registry = createRegistry([v1, lost], { released });
    const today = { ...arrived('a'), schemaUri: schemaUri(v1) };
    expect(registry.drift(today)).toBeUndefined();
    expect(registry.drift(arrived('a'))).toBeUndefined();
  });

  test('REG-04, X-080: a hash nobody released is schema drift, also one of another event', () => {
    const registry = createRegistry([v1, lost], { released });
    const reason = `schema drift: ${v1.subject} was never released with schema sha256-`;
    expect(registry.drift(arrived('b'))).toBe(`${reason}${'b'.repeat(64)}`);
    expect(registry.drift(arrived('a', 'samples/sample/lost/v1'))).toContain('of another event');
    expect(registry.drift({ ...arrived('a'), schemaUri: 'x' })).toBe('schema drift: its schemaUri is none');
    expect(createRegistry([v1]).drift(arrived('a'))).toContain('schema drift');
  });

  test('a subject that is not registered is named, not taken for drift', () => {
    const envelope = { ...arrived('a'), eventType: 'lab.samples.sample.eaten' };
    expect(createRegistry([v1]).drift(envelope)).toBe('unknown subject: lab.samples.sample.eaten.v1');
  });

  test('REG-04: after a mismatch the released hashes are read again, once for all who ask', async () => {
    let reads = 0;
    const registry = createRegistry([v1], { released });
    registry.readFrom(async () => {
      reads += 1;
      return { [v1.subject]: ['c'.repeat(64)] };
    });
    expect(registry.drift(arrived('c'))).toContain('schema drift');
    await Promise.all([registry.refresh(), registry.refresh()]);
    expect(registry.drift(arrived('c'))).toBeUndefined();
    expect(reads).toBe(1);
    await registry.refresh();
    expect(reads).toBe(2);
    expect(registry.drift(arrived('a'))).toBeUndefined(); // what we were released with is not forgotten
  });

  test('a failed read changes nothing, and the next one may succeed', async () => {
    const answers = [
      Promise.reject(new Error('offline')),
      Promise.resolve({ [v1.subject]: ['c'.repeat(64)] }),
    ];
    const registry = createRegistry([v1], { released });
    registry.readFrom(() => answers.shift() ?? Promise.reject());
    await expect(registry.refresh()).rejects.toThrow('offline');
    expect(registry.drift(arrived('a'))).toBeUndefined();
    await registry.refresh();
    expect(registry.drift(arrived('c'))).toBeUndefined();
    await expect(createRegistry([v1]).refresh()).resolves.toBeUndefined();
  });
});

describe('declarations that contradict each other', () => {
  test('a subject that is declared twice is refused', () => {
    expect(registryProblems([v1, declare(v1.subject)])).toEqual([`${v1.subject} is declared 2 times`]);
    expect(() => createRegistry([v1, v1])).toThrow('declared 2 times');
  });

  test('CAT-07: a token with two owners is refused', () => {
    const rival = eventCatalogue({ prefix: 'lab', services: { samples: 'rival-service' } }).defineEvent({
      subject: 'lab.samples.sample.stolen.v1',
      summary: 'a sample was stolen',
      retention: 'warm',
      payload: z.strictObject({ id: z.string() }),
      aggregateId: p => p.id,
      idempotencyKey: p => p.id,
    });
    expect(registryProblems([v1, rival])).toEqual([
      'lab.samples.* has several owners: sample-service, rival-service',
    ]);
  });

  test('REG-14: versions have no hole, and each replaces the registered one', () => {
    expect(registryProblems([v2])).toEqual(['lab.samples.sample.taken has a v2 but no v1']);
    const other = declare(v2.subject, { older: declare(v1.subject) });
    expect(registryProblems([v1, other])).toEqual([
      `${v2.subject} replaces another v1 than the registered one`,
    ]);
    expect(registryProblems([v1, v2])).toEqual([]);
  });

  test('what was not made by defineEvent is refused', () => {
    expect(() => createRegistry([{ ...v1 }])).toThrow('1 entries were not made by defineEvent');
  });
});

test('XT-06, X-082: without a policy nobody may publish across tenants', () => {
  const registry = createRegistry([v1, atlas]);
  expect(registry.crossTenantProblem(v1)).toBeUndefined();
  expect(registry.crossTenantProblem(atlas)).toContain('no row in the table');
});
