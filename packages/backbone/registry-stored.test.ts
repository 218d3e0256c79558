import { buildEnvelopeText } from '@ghasi/event-envelope/build';
import { eventCatalogue } from '@ghasi/event-envelope/catalogue';
import type { PendingEvent } from '@ghasi/event-envelope/define-event';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { declare, where } from './fixtures/registry-events.ts';
import { createRegistry } from './registry.ts';
import { storedProblems } from './registry-stored.ts';

const taken = declare('lab.samples.sample.taken.v1');
const { text } = buildEnvelopeText(taken.from({ id: 's1', grams: 5 }, { aggregateVersion: 1 }), where);
const stored = (envelope: unknown) => [{ where: 'dead letter 7', envelope }];

/** The same subject as it would be after a change of its payload, with the old schema still known. */
function changed(payload: z.ZodType) {
  const lab = eventCatalogue({ prefix: 'lab', services: { samples: 'sample-service' } });
  const event = lab.defineEvent({
    subject: taken.subject,
    summary: 'a sample was taken',
    retention: 'warm',
    payload,
    aggregateId: p => (p as { id: string }).id,
    idempotencyKey: p => (p as { id: string }).id,
  });
  const { schemaUri } = JSON.parse(text) as { schemaUri: string };
  return createRegistry([event], { released: { [event.subject]: [schemaUri.slice(-64)] } });
}

test('REG-06, X-079: what is stored still parses, as text and as an object', () => {
  const registry = createRegistry([taken]);
  expect(storedProblems(stored(text), registry)).toEqual([]);
  expect(storedProblems(stored(JSON.parse(text)), registry)).toEqual([]);
  const wider = z.strictObject({ id: z.string(), grams: z.int(), note: z.string().default('') });
  expect(storedProblems(stored(text), changed(wider))).toEqual([]);
});

test('REG-08, X-079: a stored event that a tightened schema refuses is found, with its place', () => {
  const [problem, ...rest] = storedProblems(
    stored(text),
    changed(z.strictObject({ id: z.string(), grams: z.int().min(10) })),
  );
  expect(problem).toMatchObject({ where: 'dead letter 7', subject: taken.subject });
  expect(problem?.reason).toContain('payload: grams: ');
  expect(rest).toEqual([]);
});

test('REG-07, REG-08: a value of an enum passes if a newer release brought it, and is found if this one took it away', async () => {
  const sample = (...kinds: [string, ...string[]]) =>
    changed(z.strictObject({ id: z.string(), kind: z.enum(kinds) }));
  const newer = sample('soil', 'water', 'air');
  const [event] = newer.events;
  const air = event?.from({ id: 's1', kind: 'air' }, { aggregateVersion: 1 }) as PendingEvent;
  const kept = stored(buildEnvelopeText(air, where).text);

  const older = sample('soil', 'water');
  older.readFrom(async () => newer.schemas());
  expect(storedProblems(kept, older)[0]?.reason).toContain('schema drift');
  await older.refresh();
  expect(storedProblems(kept, older)).toEqual([]);

  const narrower = createRegistry(sample('soil', 'water').events, { released: newer.schemas() });
  expect(storedProblems(kept, narrower)[0]?.reason).toContain('payload: kind: ');
});

test('X-078, X-080: a subject that is gone and a schema that was never released are found', () => {
  const [gone] = storedProblems(stored(text), createRegistry([declare('lab.samples.sample.lost.v1')]));
  expect(gone?.reason).toBe('unknown subject: lab.samples.sample.taken.v1');
  const never = text.replace(/sha256-[0-9a-f]{64}/, `sha256-${'0'.repeat(64)}`);
  expect(storedProblems(stored(never), createRegistry([taken]))[0]?.reason).toContain('schema drift');
});

test('X-078: a stored v1 that no upcaster brings to v2 is found', () => {
  const broken = eventCatalogue({ prefix: 'lab', services: { samples: 'sample-service' } }).defineEvent({
    subject: 'lab.samples.sample.taken.v2',
    summary: 'a sample was taken',
    retention: 'warm',
    payload: z.strictObject({ id: z.string(), grams: z.int().max(4) }),
    aggregateId: p => p.id,
    idempotencyKey: p => p.id,
    replaces: { event: taken, upcast: p => p as { id: string; grams: number } },
  });
  expect(storedProblems(stored(text), createRegistry([taken, broken]))[0]?.reason).toContain('does not fit');
  const whole = declare('lab.samples.sample.taken.v2', { older: taken });
  expect(storedProblems(stored(text), createRegistry([taken, whole]))).toEqual([]);
});

test.each([['{"eventId": "Zmaray'], [null], [{ payload: 'Zmaray' }], ['[]']])(
  'what is no envelope is a finding without its values, never a crash: %s',
  envelope => {
    const [problem] = storedProblems(stored(envelope), createRegistry([taken]));
    expect(problem).toMatchObject({ where: 'dead letter 7', subject: 'unknown' });
    expect(problem?.reason).not.toContain('Zmaray');
  },
);
