import { payloadSchema, schemaHash } from '@ghasi/event-envelope/schema-uri';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { nextBundle, readReleased, releasedPath, writeReleased } from './events/released.ts';
import { event, simple } from './fixtures/lab.ts';
import { plantedTree } from './gates/planted-tree.ts';

const subject = 'lab.samples.sample.taken.v1';
const wider = simple.extend({ mood: z.string().default('good') });
const hash = (payload: z.ZodType) => schemaHash(payloadSchema(event(subject, { payload })));

test('REG-02, REG-22: a bundle holds the schema, its hash and the policies of each subject', () => {
  const bundle = nextBundle({}, [event(subject)]);
  expect(bundle).toEqual({
    [subject]: {
      owner: 'sample-service',
      retention: 'warm',
      crossTenant: false,
      hashes: [hash(simple)],
      schema: payloadSchema(event(subject)),
    },
  });
});

test('REG-04: hashes of earlier releases stay, the newest last, each once', () => {
  const first = nextBundle({}, [event(subject)]);
  const second = nextBundle(first, [event(subject, { payload: wider })]);
  expect(second[subject]?.hashes).toEqual([hash(simple), hash(wider)]);
  expect(nextBundle(second, [event(subject, { payload: wider })])).toEqual(second);
  expect(nextBundle(second, [event(subject)])[subject]?.hashes).toEqual([hash(wider), hash(simple)]);
});

test('a bundle is read back as it was written', () => {
  using tree = plantedTree({ [releasedPath]: '{}' });
  const bundle = nextBundle({}, [event(subject), event('lab.atlas.map.drawn.v1', { crossTenant: true })]);
  writeReleased(tree.root, bundle);
  expect(readReleased(tree.root)).toEqual(JSON.parse(JSON.stringify(bundle)));
});
