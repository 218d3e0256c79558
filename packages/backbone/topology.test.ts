import { defineErrors } from '@ghasi/domain-primitives/errors';
import { eventCatalogue } from '@ghasi/event-envelope/catalogue';
import { defineRoute, open } from '@ghasi/http/route';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { defineService } from './define-service.ts';
import { answer, defineQuestion } from './question.ts';
import { on } from './reaction.ts';
import { topologyProblems } from './topology.ts';

const question = (name: `${string}.${string}`) =>
  defineQuestion({ name, input: z.strictObject({}), output: z.null() });
const route = (path: string) =>
  defineRoute({
    method: 'GET',
    path,
    summary: 'x',
    auth: open(),
    returns: { 200: z.strictObject({}) },
    transaction: 'none',
    handler: async () => ({ status: 200, body: {} }),
  });

function service(name: string, parts: Partial<Parameters<typeof defineService>[0]> = {}) {
  return defineService({
    name: `${name}-service`,
    schema: name,
    migrations: new URL('file:///none/'),
    errors: defineErrors(name, {}),
    ...parts,
  });
}

test('a service whose schema has another name is refused: commands could not find its inbox', () => {
  const services = [service('front_desk', { name: 'front-desk-service' }), service('b', { schema: 'rooms' })];
  expect(topologyProblems(services)).toEqual(['b-service is not named after its schema, which is rooms']);
});

test('services that fit together have no problems', () => {
  const asked = question('a.q');
  const services = [
    service('a', { routes: [route('/a/:id')], answers: [answer(asked, async () => null)] }),
    service('b', { needs: [asked] }),
  ];
  expect(topologyProblems(services)).toEqual([]);
});

test('two services of one name or schema are found', () => {
  expect(topologyProblems([service('a'), service('a')])).toEqual([
    'service name a-service is declared 2 times: a-service, a-service',
    'schema a is declared 2 times: a-service, a-service',
  ]);
});

test('a clashing route is found, also when its parameters have other names', () => {
  const services = [
    service('a', { routes: [route('/x/:id')] }),
    service('b', { routes: [route('/x/:name')] }),
  ];
  expect(topologyProblems(services)).toEqual(['route GET /x/: is declared 2 times: a-service, b-service']);
});

test('a question without an answer is found, unless a peer answers it', () => {
  const services = [service('b', { needs: [question('a.q')] })];
  expect(topologyProblems(services)).toEqual(['b-service needs a.q, and nobody answers it']);
  expect(topologyProblems(services, { answeredElsewhere: schema => schema === 'a' })).toEqual([]);
});

test("an answer to somebody else's question is found", () => {
  const services = [service('b', { answers: [answer(question('a.q'), async () => null)] })];
  expect(topologyProblems(services)).toEqual(['b-service answers a.q, which is not named after its schema']);
});

const { defineEvent } = eventCatalogue({ prefix: 'shop', services: { a: 'a-service', b: 'b-service' } });
const event = (subject: string) =>
  defineEvent({
    subject,
    summary: 'something happened',
    retention: 'warm',
    payload: z.strictObject({ id: z.string() }),
    aggregateId: ({ id }) => id,
    idempotencyKey: ({ id }) => id,
  });
const happened = event('shop.a.thing.changed.v1');
const reaction = on(happened, async () => {});

test('CAT-07: two producers of one event, and a producer that does not own it, are found', () => {
  const services = [service('a', { publishes: [happened] }), service('b', { publishes: [happened] })];
  expect(topologyProblems(services)).toEqual([
    'event shop.a.thing.changed.v1 is declared 2 times: a-service, b-service',
    'b-service publishes shop.a.thing.changed.v1, which belongs to a-service',
  ]);
});

test('a reaction to an event nobody publishes is found, unless it is published in another process', () => {
  const services = [service('b', { reacts: [reaction] })];
  expect(topologyProblems(services)).toEqual([
    'b-service reacts to shop.a.thing.changed.v1, and nobody publishes it',
  ]);
  expect(topologyProblems(services, { publishedElsewhere: subject => subject === happened.subject })).toEqual(
    [],
  );
});

test('BROKER-07: two reactions of one service to one event are found', () => {
  const services = [service('a', { publishes: [happened] }), service('b', { reacts: [reaction, reaction] })];
  expect(topologyProblems(services)).toEqual(['b-service reacts to shop.a.thing.changed.v1 more than once']);
});
