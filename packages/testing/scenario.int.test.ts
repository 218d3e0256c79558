import { on } from '@ghasi/backbone/reaction';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { defineJob, type JobDefinition } from '@ghasi/jobs/define-job';
import { enqueue } from '@ghasi/jobs/enqueue';
import { GiveUp, RetryLater } from '@ghasi/jobs/outcome';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { ask, asked, chain, errands, STEPS, StepAsked, StepDone } from './fixtures/errands.ts';
import { like, scenario } from './scenario.ts';
import { type System, startSystem } from './system.ts';

const steps = (from: number) => Array.from({ length: STEPS - from + 1 }, (_, index) => from + index);

describe('a scenario of a running system', () => {
  const service = errands(chain);
  let system: System;
  beforeAll(async () => {
    system = await startSystem({ services: [service] });
  });
  afterAll(() => system.stop());

  test('a use case, and everything it causes', async () => {
    const caused = await scenario(service, system)
      .when(ask, { errandId: 'e1', step: 1 })
      .then(steps(1).flatMap(step => [like(StepAsked, { step }), like(StepDone, { step })]));
    expect(caused[0]?.causationId).toBeUndefined();
    expect(caused[2]?.causationId).toBe(caused[1]?.eventId);
  });

  test('an event arrives; what was published before is not counted', async () => {
    await scenario(service, system)
      .given([asked({ errandId: 'e2', step: STEPS })])
      .when(asked({ errandId: 'e3', step: STEPS }))
      .then([like(StepDone, { errandId: 'e3' })]);
  });

  test('what a use case refuses publishes nothing', async () => {
    const refuse = async () => {
      throw new Error('closed today');
    };
    await scenario(service, system)
      .given([asked({ errandId: 'e4', step: STEPS })])
      .when(refuse, undefined)
      .thenRefused(/closed today/);
  });

  test('another outcome fails with both sides', async () => {
    const failed = scenario(service, system)
      .when(ask, { errandId: 'e5', step: STEPS })
      .then([like(StepAsked), like(StepDone, { step: 9 })]);
    await expect(failed).rejects.toMatchObject({
      expected: [{}, { payload: { step: 9 } }],
      actual: [{}, { payload: { step: STEPS } }],
    });
  });
});

test('a reaction that fails for good fails the scenario by its reason', async () => {
  const giveUp = async () => {
    throw new GiveUp('no ladder');
  };
  const service = errands([on(StepAsked, giveUp)]);
  await using system = await startSystem({ services: [service] });
  const outcome = scenario(service, system).when(asked({ errandId: 'e1', step: 1 }));
  await expect(outcome.then([])).rejects.toThrow('errands-service failed: no ladder');
});

test('a job that fails fails the scenario by its reason; one that asks for later does not', async () => {
  let error: Error = new Error('the ladder broke');
  const climb = defineJob({
    name: 'errands.climb',
    input: z.strictObject({}),
    scope: 'tenant',
    async run() {
      throw error;
    },
  });
  const service = { ...errands([]), jobs: [climb as unknown as JobDefinition] };
  const start = async (ctx: Ctx) => void (await enqueue(ctx, climb, {}));
  await using system = await startSystem({ services: [service] });
  const climbed = () => scenario(service, system).when(start, undefined).then([]);
  await expect(climbed()).rejects.toThrow('errands.climb failed: the ladder broke');
  error = new GiveUp('no ladder');
  await expect(climbed()).rejects.toThrow('errands.climb failed: no ladder');
  error = new RetryLater(3_600_000);
  await climbed();
});
