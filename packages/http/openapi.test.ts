import { defineErrors } from '@ghasi/domain-primitives/errors';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { content } from './content.ts';
import { openApi } from './openapi.ts';
import { defineRoute, open, operator } from './route.ts';

const errors = defineErrors('desk', { ROOM_TAKEN: { status: 409, text: 'Taken' } });
const book = defineRoute({
  method: 'POST',
  path: '/v1/rooms/:roomId/bookings',
  summary: 'Book a room',
  auth: operator(['clerk', 'manager'], { stepUp: 'book' }),
  params: z.strictObject({ roomId: z.string() }),
  query: z.strictObject({ dryRun: z.stringbool().optional() }),
  body: z.strictObject({ nights: z.int().min(1) }),
  returns: { 201: z.object({ id: z.string() }) },
  errors: [errors.ROOM_TAKEN],
  handler: async () => ({ status: 201, body: { id: '1' } }),
});
const calendar = defineRoute({
  method: 'GET',
  path: '/v1/calendar',
  summary: 'The calendar',
  auth: open(),
  returns: { 200: content('text/calendar'), 204: z.undefined() },
  handler: async () => ({ status: 204 }),
});
const tree = defineRoute({
  method: 'GET',
  path: '/v1/tree',
  summary: 'A tree',
  auth: open(),
  returns: { 200: z.object({ value: z.json() }) },
  handler: async () => ({ status: 200, body: { value: 1 } }),
});
const document = openApi([{ name: 'desk-service', routes: [book, calendar, tree] }], {
  title: 'T',
  version: '1',
});
// biome-ignore lint/suspicious/noExplicitAny: the document is read like the JSON it becomes
const json = JSON.parse(JSON.stringify(document)) as any;

test('a route becomes an operation with parameters, body, roles and the idempotency header', () => {
  const operation = json.paths['/v1/rooms/{roomId}/bookings'].post;
  expect(json.openapi).toBe('3.1.0');
  expect(operation).toMatchObject({
    operationId: 'postV1RoomsRoomIdBookings',
    summary: 'Book a room',
    security: [{ operator: [] }],
    'x-roles': ['clerk', 'manager'],
    'x-step-up': 'book',
  });
  const named = operation.parameters.map((p: { in: string; name: string; required: boolean }) => [
    p.in,
    p.name,
    p.required,
  ]);
  expect(named).toEqual([
    ['path', 'roomId', true],
    ['query', 'dryRun', false],
    ['header', 'Idempotency-Key', true],
  ]);
  expect(operation.requestBody.content['application/json'].schema).toMatchObject({
    required: ['nights'],
    additionalProperties: false,
  });
});

test('declared errors and those of the guards appear under their status', () => {
  const { responses } = json.paths['/v1/rooms/{roomId}/bookings'].post;
  expect(responses['409'].description).toBe('IDEMPOTENCY_IN_PROGRESS, ROOM_TAKEN');
  expect(responses['422'].description).toContain('IDEMPOTENCY_KEY_REUSED');
  expect(Object.keys(responses)).toEqual(
    expect.arrayContaining(['201', '400', '401', '403', '413', '415', '429', '500']),
  );
  expect(json.paths['/v1/calendar'].get.responses).not.toHaveProperty('401');
});

test('replies without a body and replies that are not JSON are described as such', () => {
  const { responses } = json.paths['/v1/calendar'].get;
  expect(responses['204']).not.toHaveProperty('content');
  expect(Object.keys(responses['200'].content)).toEqual(['text/calendar']);
});

test('every reference in the document points at something', () => {
  const references = [...JSON.stringify(json).matchAll(/"\$ref":"#([^"]*)"/g)].map(match => match[1] ?? '');
  expect(references.length).toBeGreaterThan(3);
  for (const reference of references) {
    const target = reference
      .split('/')
      .slice(1)
      .reduce((node, key) => node?.[key], json);
    expect(target, reference).toBeTypeOf('object');
  }
});
