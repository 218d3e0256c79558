import { expect, test } from 'vitest';
import { z } from 'zod';
import { CheckedJson, withFields } from './checked-json.ts';
import { renderReply } from './output.ts';

const guest = z.strictObject({ name: z.string() });
const room = z.strictObject({ name: z.string() });
const route = { method: 'GET' as const, path: '/v1/guests', returns: { 200: guest } };

test('what passed the schema of a route before is sent byte for byte', () => {
  const text = '{ "name" : "Zarghuna" }';
  const rendered = renderReply(route, { status: 200, body: new CheckedJson(guest, text) });
  expect(rendered.body.toString()).toBe(text);
  expect(rendered.headers['content-type']).toBe('application/json; charset=utf-8');
});

test('what passed another schema is a bad reply, even if it would fit', () => {
  const body = new CheckedJson(room, '{"name":"301"}');
  expect(() => renderReply(route, { status: 200, body })).toThrow(/did not declare/);
});

test('fields are added to an object and to nothing else', () => {
  expect(JSON.parse(withFields('{"a":1}', { b: [2], c: '}' }))).toEqual({ a: 1, b: [2], c: '}' });
  expect(JSON.parse(withFields('{}', { b: 2 }))).toEqual({ b: 2 });
  expect(JSON.parse(withFields('{"a":1}', {}))).toEqual({ a: 1 });
  for (const kept of ['', '[]', 'null', '"{}"']) expect(() => withFields(kept, { b: 2 })).toThrow(TypeError);
});
