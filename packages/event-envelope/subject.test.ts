import fc from 'fast-check';
import { expect, test } from 'vitest';
import { splitSubject, subjectOf } from './subject.ts';

const snake = fc.stringMatching(/^[a-z][a-z0-9]{0,6}(_[a-z0-9]{1,6}){0,2}$/);
const version = fc.integer({ min: 1, max: 9_999 });

test('CAT-01, CAT-05: what is put together from five segments comes apart into the same five', () => {
  fc.assert(
    fc.property(snake, snake, snake, snake, version, (prefix, service, aggregate, verb, n) => {
      const type = [prefix, service, aggregate, verb].join('.');
      const words = splitSubject(`${type}.v${n}`);
      expect(words).toEqual({ subject: `${type}.v${n}`, type, prefix, service, aggregate, verb, version: n });
      expect(subjectOf({ eventType: words.type, eventVersion: words.version })).toBe(words.subject);
    }),
  );
});

test('X-003: a subject of four segments leaves its aggregate to the catalogue', () => {
  expect(splitSubject('shop.orders.imported.v1')).toMatchObject({ aggregate: undefined, verb: 'imported' });
});

test.each([
  ['', 'expected five segments, got 1'],
  ['order.placed.v1', 'expected five segments, got 3'],
  ['shop.orders.order.line.placed.v1', 'expected five segments, got 6'],
  ['Shop.orders.order.placed.v1', 'prefix "Shop" is not snake_case'],
  ['shop.sign-in.order.placed.v1', 'service "sign-in" is not snake_case'],
  ['shop.orders.Order.placed.v1', 'aggregate "Order" is not snake_case'],
  ['shop.orders..placed.v1', 'aggregate "" is not snake_case'],
  ['shop.orders..v1', 'verb "" is not snake_case'],
  ['shop.orders.order.dates-changed.v1', 'verb "dates-changed" is not snake_case'],
  ['shop.orders.order.placed', '"placed" is not a version such as v1'],
  ['shop.orders.order.placed.v0', '"v0" is not a version such as v1'],
  ['shop.orders.order.placed.1', '"1" is not a version such as v1'],
  ['shop.orders.order.placed.v01', '"v01" is not a version such as v1'],
])('CAT-01..05: %s is refused', (subject, reason) => {
  expect(() => splitSubject(subject)).toThrow(reason);
});

test('a subject longer than a topic name is refused, and the message stays short', () => {
  const subject = `shop.orders.${'a'.repeat(100_000)}.created.v1`;
  expect(() => splitSubject(subject)).toThrow('longer than 255 characters');
  expect(() => splitSubject(subject)).toThrow(/^.{0,400}$/);
});
