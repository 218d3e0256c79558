import { on } from '@ghasi/backbone/reaction';
import { openClient } from '@ghasi/db/database';
import { GiveUp, RetryLater } from '@ghasi/jobs/outcome';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import {
  ask,
  asked,
  chain,
  errands,
  record,
  STEPS,
  type Step,
  StepAsked,
  StepDone,
} from './fixtures/errands.ts';
import { waitUntil } from './signal.ts';
import { type System, startSystem } from './system.ts';
import { newTenantId } from './tenants.ts';

const effects = (system: System, tenantId: string) =>
  system.query<{ errand_id: string; step: number }>(
    'errands',
    'select errand_id, step from done where tenant_id = $1 order by seq',
    [tenantId],
  );

test('settled waits for everything that was caused: events, jobs, their events, and so on', async () => {
  const service = errands(chain);
  await using system = await startSystem({ services: [service] });
  const tenantId = newTenantId();
  expect(await system.run(service, tenantId, ask, { errandId: 'e1', step: 1 })).toBe('e1');
  await system.settled();
  const steps = Array.from({ length: STEPS }, (_, index) => index + 1);
  expect(await effects(system, tenantId)).toEqual(steps.map(step => ({ errand_id: 'e1', step })));
  expect(
    (await system.events()).map(({ eventType, payload }) => [eventType, (payload as Step).step]),
  ).toEqual(
    steps.flatMap(step => [
      [StepAsked.type, step],
      [StepDone.type, step],
    ]),
  );
  expect((await system.events(StepDone)).map(({ payload }) => payload.step)).toEqual(steps);
});

describe('a system with one service', () => {
  let handle: typeof record;
  const service = errands([on(StepAsked, (ctx, step) => handle(ctx, step))]);
  let system: System;
  beforeAll(async () => {
    system = await startSystem({ services: [service] });
  });
  afterAll(() => system.stop());
  beforeEach(() => {
    handle = record;
  });

  test('many errands of many tenants settle', async () => {
    const tenants = Array.from({ length: 5 }, () => newTenantId());
    const ids = Array.from({ length: 20 }, (_, index) => `e${index}`);
    await Promise.all(
      tenants.flatMap(tenantId =>
        ids.map(errandId => system.run(service, tenantId, ask, { errandId, step: 1 })),
      ),
    );
    await system.settled();
    for (const tenantId of tenants) expect(await effects(system, tenantId)).toHaveLength(ids.length);
  });

  test('a message that fails is waited for until it works', async () => {
    const tenantId = newTenantId();
    let failures = 0;
    handle = async (ctx, step) => {
      if (failures++ < 7) throw new Error('not yet'); // three runs and a retry, three runs and a retry, and one
      await record(ctx, step);
    };
    await system.run(service, tenantId, ask, { errandId: 'e1', step: 1 });
    await system.settled();
    expect(await effects(system, tenantId)).toEqual([{ errand_id: 'e1', step: 1 }]);
  });

  test('a message that never works ends as a dead letter, and the system has settled', async () => {
    const tenantId = newTenantId();
    handle = async () => {
      throw new GiveUp('never');
    };
    await system.run(service, tenantId, ask, { errandId: 'e1', step: 1 });
    await system.settled();
    const dead = await system.events(`${StepAsked.subject}.dlq`);
    expect(dead.map(envelope => envelope.tenantId)).toEqual([tenantId]);
    expect(await effects(system, tenantId)).toEqual([]);
  });

  test('a retry that is not due for long is not waited for', async () => {
    const tenantId = newTenantId();
    handle = async () => {
      throw new RetryLater(3_600_000);
    };
    await system.run(service, tenantId, ask, { errandId: 'e1', step: 1 });
    await system.settled();
    const parked = 'select state, attempts from parked_key where tenant_id = $1';
    expect(await system.query('brokers', parked, [tenantId])).toEqual([{ state: 'retrying', attempts: 1 }]);
  });

  test('events of owners that run elsewhere can be put on the broker', async () => {
    const tenantId = newTenantId();
    const [envelope] = await system.publish(tenantId, [asked({ errandId: 'e7', step: 1 })]);
    await system.settled();
    expect(await effects(system, tenantId)).toEqual([{ errand_id: 'e7', step: 1 }]);
    expect((await system.events(StepAsked)).at(-1)).toEqual(envelope);
  });

  test('a topic that is misspelt is refused: that nothing was published on it proves nothing', () => {
    expect(() => system.events(`${StepAsked.subject}.dql`)).toThrow(
      `no event of this system is called ${StepAsked.subject}.dql`,
    );
  });

  test('a service that does not run here has no database here', () => {
    expect(() => system.db({ schema: 'elsewhere' })).toThrow(
      /no service of this system has the schema elsewhere/,
    );
  });
});

test('what settled waits for in vain is named', async () => {
  const service = errands([on(StepAsked, record)]);
  await using system = await startSystem({ services: [service], consumers: false });
  // The lock all movers wait for: a pass that is under way already cannot take the row either.
  const held = await openClient(system.database.adminUrl, 'held-lock');
  onTestFinished(() => held.end());
  await held.query('select pg_advisory_lock(brokers.append_lock())');
  await system.run(service, newTenantId(), ask, { errandId: 'e1', step: 1 });
  await expect(system.settled({ timeoutMs: 0 })).rejects.toThrow(
    /^waited in vain until the system has settled\n {2}1 rows wait in errands\.outbox$/,
  );
  await held.query('select pg_advisory_unlock(brokers.append_lock())');
  await waitUntil('it is in the log', async () => (await system.events()).length === 1);
  await expect(system.settled({ timeoutMs: 0 })).rejects.toThrow(/\n {2}errands-service has come to 0 of 1$/);
});
