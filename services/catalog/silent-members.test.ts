import { expect, test } from 'vitest';
import { z } from 'zod';
import { silentMembers } from './silent-members.conformance.ts';

const strict = (properties: object) => ({ type: 'object', properties, additionalProperties: false });
const text = { type: 'string' };

test.each([
  ['nothing at all', {}, 'payload has no type'],
  ['anything', true, 'payload is no schema'],
  ['an object of anything', { type: 'object' }, 'payload is open'],
  ['an object with one member and any other', { type: 'object', properties: { a: text } }, 'payload is open'],
  ['an object without members', strict({}), 'payload is empty'],
  ['a member that is anything', strict({ a: text, b: {} }), 'payload.b has no type'],
  ['a member with a title only', strict({ a: { title: 'a' } }), 'payload.a has no type'],
  [
    'an open object inside',
    strict({ a: strict({ b: { type: 'object', properties: {} } }) }),
    'payload.a.b is open',
  ],
  ['a list of anything', strict({ a: { type: 'array' } }), 'payload.a[] is no schema'],
  [
    'a list of open objects',
    strict({ a: { type: 'array', items: { type: 'object' } } }),
    'payload.a[] is open',
  ],
  [
    'a pair of anything',
    strict({ a: { type: 'array', prefixItems: [text, {}] } }),
    'payload.a[1] has no type',
  ],
  ['one of several that is open', { anyOf: [{ type: 'null' }, { type: 'object' }] }, 'payload is open'],
  ['a record of anything', { type: 'object', additionalProperties: {} }, 'payload{} has no type'],
  ['a definition that is anything', { $ref: '#/$defs/a', $defs: { a: {} } }, 'payload.a has no type'],
])('a schema that says of a member: %s, is found', (_what, schema, found) => {
  expect(silentMembers(schema)).toContain(found);
});

test('what our contracts write says something of every member', () => {
  const payload = z.strictObject({
    id: z.string(),
    kind: z.enum(['a', 'b']),
    note: z.string().nullable(),
    pair: z.tuple([z.string(), z.int()]),
    nights: z.array(z.strictObject({ date: z.iso.date() })),
    names: z.record(z.string(), z.string()),
    either: z.discriminatedUnion('is', [
      z.strictObject({ is: z.literal('x') }),
      z.strictObject({ is: z.literal('y'), n: z.int() }),
    ]),
  });
  expect(silentMembers(z.toJSONSchema(payload))).toEqual([]);
});

test.each([
  ['a loose object', z.looseObject({ id: z.string() }), 'payload{} has no type'],
  ['unknown', z.strictObject({ id: z.unknown() }), 'payload.id has no type'],
])('a payload with %s is found', (_what, payload, found) => {
  expect(silentMembers(z.toJSONSchema(payload))).toEqual([found]);
});
