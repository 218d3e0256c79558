import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { eventCatalogue } from './catalogue.ts';
import { shop } from './fixtures/events.ts';

const base = {
  summary: 'x happened',
  retention: 'warm' as const,
  payload: z.strictObject({ id: z.string() }),
  aggregateId: (p: { id: string }) => p.id,
  idempotencyKey: (p: { id: string }) => `${p.id}:done`,
};

test('a team needs a prefix and its services, and nothing else', () => {
  const { defineEvent } = eventCatalogue({ prefix: 'lab', services: { samples: 'sample-service' } });
  const event = defineEvent({ ...base, subject: 'lab.samples.sample.taken.v1' });
  expect(event).toMatchObject({ owner: 'sample-service', platform: false, aiProvenance: false });
  expect(() => defineEvent({ ...base, subject: 'lab.samples.sample.error.v1' })).toThrow('not past tense');
});

describe('subjects of a catalogue', () => {
  test.each([
    ['lab.orders.order.placed.v1', 'it must start with shop.'],
    ['shop.order.order.placed.v1', '"order" is not a service token'],
    ['shop.constructor.order.placed.v1', '"constructor" is not a service token'],
    ['shop.orders.order.place.v1', 'verb "place" is not past tense'],
    ['shop.orders.order.bed.v1', 'verb "bed" is not past tense'],
    ['shop.orders.exported.v1', 'expected five segments, got 4'],
    ['shop.orders.imported.v2', 'expected five segments, got 4'],
    ['nonsense', 'expected five segments, got 1'],
  ])('CAT-01, CAT-02, CAT-04, X-003: %s is refused', (subject, reason) => {
    expect(() => shop.parseSubject(subject)).toThrow(reason);
    expect(shop.isSubject(subject)).toBe(false);
  });

  test.each(['held', 'bound', 'dates_changed', 'went_offline', 'local_completed', 'checked_in', 'error'])(
    'CAT-04: %s is a verb',
    verb => {
      expect(shop.isSubject(`shop.orders.order.${verb}.v1`)).toBe(true);
    },
  );

  test('X-003: a listed subject of four segments has the aggregate the list implies', () => {
    expect(shop.parseSubject('shop.orders.imported.v1')).toEqual({
      subject: 'shop.orders.imported.v1',
      type: 'shop.orders.imported',
      service: 'orders',
      aggregate: 'order',
      verb: 'imported',
      version: 1,
      owner: 'orders-service',
    });
  });

  test('a list that names a subject outside the catalogue fails at once', () => {
    const facts = { prefix: 'lab', services: { samples: 'sample-service' } };
    const platformSubjects = { 'lab.nobody.thing.made.v1': 'why not' };
    expect(() => eventCatalogue({ ...facts, platformSubjects })).toThrow('"nobody" is not a service token');
  });
});

test('XT-01: only listed services may publish across tenants', () => {
  const define = (subject: string) => shop.defineEvent({ ...base, subject, crossTenant: true });
  expect(() => define('shop.orders.order.placed.v1')).toThrow('may not publish across tenants (XT-01)');
  expect(define('shop.stats.day.counted.v1').crossTenant).toBe(true);
});

test('X-027, ENV-23: an event knows whether it may be the platform’s and whether a model must be named', () => {
  const define = (subject: string) => shop.defineEvent({ ...base, subject });
  expect(define('shop.sign_in.clerk.added.v1')).toMatchObject({ platform: true, aiProvenance: false });
  expect(define('shop.watch.fraud.suspected.v1')).toMatchObject({ platform: false, aiProvenance: true });
});
