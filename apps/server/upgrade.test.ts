import { on, type Reaction } from '@ghasi/backbone/reaction';
import { eventCatalogue } from '@ghasi/event-envelope/catalogue';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { releaseNotices } from './upgrade.ts';

const { defineEvent } = eventCatalogue({ prefix: 'lab', services: { samples: 'sample-service' } });
const shape = {
  summary: 'a sample was taken',
  retention: 'warm',
  payload: z.strictObject({ id: z.string() }),
  aggregateId: (p: { id: string }) => p.id,
  idempotencyKey: (p: { id: string }) => p.id,
} as const;
const v1 = defineEvent({ subject: 'lab.samples.sample.taken.v1', ...shape });
const v2 = defineEvent({
  subject: 'lab.samples.sample.taken.v2',
  ...shape,
  replaces: { event: v1, upcast: p => p as { id: string } },
});

test('REG-16: each consumer that moved to a newer version is a notice, those that did not are none', () => {
  const moved = { name: 'atlas-service', reacts: [on(v2, async () => {}) as Reaction] } as const;
  const stayed = { name: 'audit-service', reacts: [on(v1, async () => {}) as Reaction] } as const;
  expect(releaseNotices([moved, stayed], [])).toEqual([
    {
      action: 'event.cutover',
      reason: 'atlas-service reads the newer version',
      detail: { consumer: 'atlas-service', from: v1.subject, to: v2.subject },
    },
  ]);
});

test('REG-21, X-081: each bypass is a notice with its incident, its rule and its schema', () => {
  const bypass = { subject: v1.subject, rule: 'REG-08', ticket: 'INC-204', hash: 'abcdef012345' };
  expect(releaseNotices([], [bypass])).toEqual([
    {
      action: 'event.bypass',
      reason: 'INC-204',
      detail: { subject: v1.subject, rule: 'REG-08', hash: 'abcdef012345' },
    },
  ]);
});
