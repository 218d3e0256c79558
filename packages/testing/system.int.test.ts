import { on, type Reaction } from '@ghasi/backbone/reaction';
import { GiveUp, RetryLater } from '@ghasi/jobs/outcome';
import { afterEach, expect, test } from 'vitest';
import { failAt, holdAt } from './failpoints.ts';
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
import { type System, type SystemOptions, startSystem } from './system.ts';
import { newTenantId } from './tenants.ts';

let system: System;
afterEach(() => system.stop());

/** A system with one errands service that handles a step as given. */
async function startWith(
  handle: (ctx: Parameters<typeof record>[0], step: Step) => Promise<void>,
  options: Partial<SystemOptions> = {},
) {
  const service = errands([on(StepAsked, handle) as Reaction]);
  system = await startSystem({ services: [service], ...options });
  return service;
}

const effects = () =>
  system.query<{ errand_id: string; step: number }>(
    'errands',
    'select errand_id, step from done order by seq',
  );

test('settled waits for everything that was caused: events, jobs, their events, and so on', async () => {
  const service = errands(chain);
  system = await startSystem({ services: [service] });
  const tenantId = newTenantId();
  expect(await system.run(service, tenantId, ask, { errandId: 'e1', step: 1 })).toBe('e1');
  await system.settled();
  const steps = Array.from({ length: STEPS }, (_, index) => index + 1);
  expect(await effects()).toEqual(steps.map(step => ({ errand_id: 'e1', step })));
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

test('many errands of many tenants settle too', async () => {
  const service = await startWith(record);
  const wanted = Array.from({ length: 5 }, () => newTenantId()).flatMap(tenantId =>
    Array.from({ length: 20 }, (_, index) => ({ tenantId, errandId: `e${index}` })),
  );
  await Promise.all(
    wanted.map(({ tenantId, errandId }) => system.run(service, tenantId, ask, { errandId, step: 1 })),
  );
  await system.settled();
  expect(await effects()).toHaveLength(wanted.length);
});

test('a message that fails is waited for until it works', async () => {
  let failures = 0;
  const service = await startWith(async (ctx, step) => {
    if (failures++ < 7) throw new Error('not yet'); // three runs at once, then a retry, three runs, a retry, and one
    await record(ctx, step);
  });
  await system.run(service, newTenantId(), ask, { errandId: 'e1', step: 1 });
  await system.settled();
  expect(await effects()).toEqual([{ errand_id: 'e1', step: 1 }]);
});

test('a message that never works ends as a dead letter, and the system has settled', async () => {
  const service = await startWith(async () => {
    throw new GiveUp('never');
  });
  await system.run(service, newTenantId(), ask, { errandId: 'e1', step: 1 });
  await system.settled();
  expect(await system.events(`${StepAsked.subject}.dlq`)).toHaveLength(1);
  expect(await effects()).toEqual([]);
});

test('a retry that is not due for long is not waited for', async () => {
  const service = await startWith(async () => {
    throw new RetryLater(3_600_000);
  });
  await system.run(service, newTenantId(), ask, { errandId: 'e1', step: 1 });
  await system.settled();
  expect(await system.query('brokers', 'select state, attempts from parked_key')).toEqual([
    { state: 'retrying', attempts: 1 },
  ]);
});

test.each([
  'relay.before-move',
  'broker.before-handle',
  'consumer.after-claim',
  'consumer.after-effect',
  'broker.after-handle',
])('nothing has settled while somebody is held at %s', async point => {
  const service = await startWith(record);
  const held = holdAt(point);
  await system.run(service, newTenantId(), ask, { errandId: 'e1', step: 1 });
  await held.reached;
  await expect(system.settled({ timeoutMs: 0 })).rejects.toThrow(
    point.startsWith('relay')
      ? /the system has settled\n {2}1 rows wait in errands\.outbox$/
      : /the system has settled\n {2}errands-service has come to \d+ of \d+$/,
  );
  held.release();
  await system.settled();
  expect(await effects()).toEqual([{ errand_id: 'e1', step: 1 }]);
});

test('what settled waits for in vain is named: a relay that cannot move, a subscription nobody serves', async () => {
  const service = await startWith(record, { consumers: false });
  failAt('relay.before-move');
  await system.run(service, newTenantId(), ask, { errandId: 'e1', step: 1 });
  await expect(system.settled({ timeoutMs: 0 })).rejects.toThrow(/1 rows wait in errands\.outbox/);
  await system.publish(newTenantId(), [asked({ errandId: 'e2', step: 1 })]);
  await expect(system.settled({ timeoutMs: 0 })).rejects.toThrow(/errands-service has come to 0 of 1/);
});

test('events of owners that do not run here are put on the broker', async () => {
  await startWith(record);
  const tenantId = newTenantId();
  const [envelope] = await system.publish(tenantId, [asked({ errandId: 'e7', step: 1 })]);
  await system.settled();
  expect(await effects()).toEqual([{ errand_id: 'e7', step: 1 }]);
  expect(await system.events(StepAsked)).toEqual([envelope]);
});
