import { payloadSchema } from '@ghasi/event-envelope/schema-uri';
import { expect, test } from 'vitest';
import { nextBundle, readReleased, releasedPath, writeReleased } from './events/released.ts';
import { event } from './fixtures/lab.ts';
import { plantedTree } from './gates/planted-tree.ts';

const subject = 'lab.samples.sample.taken.v1';
const none = { before: {}, changelog: { runbooks: [] }, today: '2026-03-01' };

test('REG-02, REG-22: a bundle holds the schema and the policies of each subject', () => {
  const bundle = nextBundle({ ...none, events: [event(subject)] });
  expect(bundle).toEqual({
    [subject]: {
      owner: 'sample-service',
      retention: 'warm',
      crossTenant: false,
      platform: false,
      aiProvenance: false,
      aggregateId: 'id',
      schema: payloadSchema(event(subject)),
    },
  });
});

test('a bundle is read back as it was written', () => {
  using tree = plantedTree({ [releasedPath]: '{}' });
  const bundle = nextBundle({
    ...none,
    events: [event(subject), event('lab.atlas.map.drawn.v1', { crossTenant: true })],
  });
  writeReleased(tree.root, bundle);
  expect(readReleased(tree.root)).toEqual(JSON.parse(JSON.stringify(bundle)));
});

test('REG-14: a bundle says until when the older version is published too: as planned, but two weeks from its release at least', () => {
  const v1 = event(subject);
  const replaces = { event: v1, upcast: (p: unknown) => p, downcast: (p: unknown) => p };
  const v2 = event('lab.samples.sample.taken.v2', { replaces });
  const until = (release: Partial<Parameters<typeof nextBundle>[0]>) =>
    nextBundle({ ...none, events: [v1, v2], ...release })[v2.subject]?.publishesOlderUntil;
  const planned = (day: string) => ({
    runbooks: [{ subject: v2.subject, from: '2026-02-01', until: day, days: 0 }],
  });
  expect(until({ changelog: planned('2026-02-20') })).toBe('2026-03-15');
  expect(until({ changelog: planned('2026-04-20') })).toBe('2026-04-20');
  const before = nextBundle({ ...none, events: [v1, v2] });
  expect(until({ before, today: '2026-03-10' })).toBe('2026-03-15');
  expect(until({ before, changelog: planned('2026-04-20'), today: '2026-03-10' })).toBe('2026-04-20');
  const { downcast: _none, ...without } = replaces;
  expect(until({ before, events: [v1, event(v2.subject, { replaces: without })] })).toBeUndefined();
});
