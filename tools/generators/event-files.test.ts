import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Service } from '@ghasi/backbone/define-service';
import {
  parseSchemaUri,
  payloadSchema,
  schemaHash,
  schemaPath,
  schemaUri,
} from '@ghasi/event-envelope/schema-uri';
import { describe, expect, test } from 'vitest';
import { event, party } from '../fixtures/lab.ts';
import { repositoryRoot } from '../gates/gate.ts';
import { asyncApiDocument } from './asyncapi.ts';
import { eventSchemaPages } from './event-schema-pages.ts';
import { eventSchemas } from './event-schemas.ts';
import { everyEvent } from './every-service.ts';
import { topicsOf } from './pubsub/topology.ts';
import { everyTopic } from './pubsub.ts';
import { serviceMapBody } from './service-map.ts';

type Json = Record<string, unknown>;

describe('schema files', () => {
  test('REG-01, REG-03, CAT-10, PATH-06, X-012: each subject’s file holds exactly what its URI’s hash covers', async () => {
    const files = await eventSchemas.makeAll(repositoryRoot);
    const events = await everyEvent();
    expect(files.size).toBe(events.length + 1);
    for (const one of events) {
      const schema = JSON.parse(files.get(schemaPath(one)) ?? '{}');
      expect(schemaHash(schema)).toBe(parseSchemaUri(schemaUri(one))?.hash);
    }
  });

  test('ENV-03, X-013, PATH-07: the envelope’s schema has its own file', async () => {
    const files = await eventSchemas.makeAll(repositoryRoot);
    const envelope = JSON.parse(files.get('event-schemas/platform/event_envelope/v1.json') ?? '{}');
    expect(envelope.required).toEqual(expect.arrayContaining(['eventId', 'tenantId', 'payload', 'metadata']));
  });

  test('X-003: the two old subjects of four segments have theirs under object', async () => {
    const files = await eventSchemas.makeAll(repositoryRoot);
    expect(files.has('event-schemas/file/object/uploaded/v1.json')).toBe(true);
    expect(files.has('event-schemas/file/object/scanned/v1.json')).toBe(true);
  });

  test('PATH-08: each service has a page with every field it publishes', async () => {
    const pages = await eventSchemaPages.makeAll(repositoryRoot);
    for (const one of await everyEvent()) {
      const page = pages.get(`services/${one.owner}/EVENT_SCHEMAS.md`) ?? '';
      expect(page).toContain(`\n## ${one.subject}\n`);
      for (const field of Object.keys(payloadSchema(one).properties ?? {}))
        expect(page).toContain(`| \`${field}\` |`);
    }
    expect(pages.get('services/bff-consumer-service/EVENT_SCHEMAS.md')).toContain('It publishes nothing.');
  });

  test('a file of a subject that is gone is left over, the release’s bundle is not', () => {
    expect(eventSchemas.owns('event-schemas/iam/user/gone/v1.json')).toBe(true);
    expect(eventSchemas.owns('event-schemas/released.json')).toBe(false);
    expect(eventSchemas.owns('event-schemas/hashes.json')).toBe(false);
  });
});

describe('AsyncAPI', () => {
  test('every reference leads somewhere, inside the document and in the repository', async () => {
    const document = asyncApiDocument(await everyEvent(), await everyTopic()) as Json;
    const references = referencesIn(document);
    expect(references.length).toBeGreaterThan(300);
    for (const reference of new Set(references)) {
      if (reference.startsWith('#/')) expect(at(document, reference), reference).toBeTypeOf('object');
      else expect(existsSync(join(repositoryRoot, 'docs/reference', reference)), reference).toBe(true);
    }
  });

  test('a channel, its message, its sender and its receivers', () => {
    const taken = event('lab.samples.sample.taken.v1');
    const services = [party('sample-service', [taken]), party('atlas-service', [], [taken])];
    const document = asyncApiDocument([taken], topicsOf(services, { services: [], sink: 'warehouse' })) as {
      channels: Json;
      operations: Json;
      components: { messages: Json };
    };
    expect(document.channels['samples.sample.taken.v1']).toMatchObject({
      address: 'lab.samples.sample.taken.v1',
      'x-owner': 'sample-service',
    });
    expect(Object.keys(document.operations)).toEqual([
      'sample-service.sends.samples.sample.taken.v1',
      'atlas-service.receives.samples.sample.taken.v1',
    ]);
    expect(JSON.stringify(document.components.messages)).toContain(
      '../../event-schemas/samples/sample/taken/v1.json',
    );
  });
});

describe('service map', () => {
  test('arrows go from who publishes to who hears, and from who asks to who answers', () => {
    const taken = event('lab.samples.sample.taken.v1');
    const services = [
      { ...party('sample-service', [taken]), answers: [{ question: { name: 'samples.free' } }], needs: [] },
      { ...party('atlas-service', [], [taken]), answers: [], needs: [{ name: 'samples.free' }] },
    ] as unknown as Service[];
    const body = serviceMapBody(services);
    expect(body).toContain('  sample["sample<br>1 event"]');
    expect(body).toContain('  sample -->|"sample.taken"| atlas');
    expect(body).toContain('  atlas -.->|"samples.free"| sample');
    expect(body).toContain('| `samples.sample.taken.v1` | `samples.free` |');
  });

  test('the committed page names every service', () => {
    const page = readFileSync(join(repositoryRoot, 'docs/reference/service-map.md'), 'utf8');
    expect(page.match(/^\| \[[a-z-]+-service\]/gm)).toHaveLength(24);
  });
});

function referencesIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const own = (value as Json).$ref;
  return [...(typeof own === 'string' ? [own] : []), ...Object.values(value).flatMap(referencesIn)];
}

function at(document: Json, reference: string): unknown {
  return reference
    .slice(2)
    .split('/')
    .reduce<unknown>((node, step) => (node as Json | undefined)?.[step], document);
}
