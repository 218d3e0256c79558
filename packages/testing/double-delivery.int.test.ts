import { on } from '@ghasi/backbone/reaction';
import { sql } from '@ghasi/db/drizzle';
import { execute } from '@ghasi/db/sql';
import { type Ctx, tenantTransaction } from '@ghasi/db/tenant-transaction';
import type { PendingEvent } from '@ghasi/event-envelope/define-event';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { doubleDeliveryContract, eventsFrom, type Samples } from './double-delivery.ts';
import { doubleDeliveryProblems, orderProblems, type ReactionCase } from './double-delivery-check.ts';
import { chain, errands, record, type Step, StepAsked, StepDone } from './fixtures/errands.ts';
import { type System, startSystem } from './system.ts';
import { testActor } from './tenants.ts';

const samples: Samples = {
  [StepAsked.subject]: [
    { errandId: 'e1', step: 1 },
    { errandId: 'e1', step: 2 },
    { errandId: 'e1', step: 3 },
  ],
  [StepDone.subject]: { errandId: 'e1', step: 1 },
};

describe('reactions that enqueue jobs and publish events keep the contract', () => {
  doubleDeliveryContract([errands(chain)], samples);
});

describe('reactions that only add keep the contract in any order', () => {
  doubleDeliveryContract([errands([on(StepAsked, record)], { order: 'any' })], samples);
});

describe('a reaction that breaks the contract is found', () => {
  let handle: (ctx: Ctx, step: Step) => Promise<unknown>;
  const reaction = on(StepAsked, async (ctx, step) => void (await handle(ctx, step)));
  const service = errands([reaction], { order: 'any' });
  let system: System;
  beforeAll(async () => {
    system = await startSystem({ services: [service], relay: false, consumers: false, jobs: false });
  });
  afterAll(() => system.stop());

  const events = eventsFrom(StepAsked, samples);
  const problemsOf = (given: typeof handle, more: Partial<ReactionCase> = {}) => {
    handle = given;
    return doubleDeliveryProblems(system, { service, reaction, sample: events[0] as PendingEvent, ...more });
  };

  test('its effect escapes the transaction', async () => {
    const problems = await problemsOf((ctx, step) =>
      tenantTransaction(system.db(service), { ...ctx, actor: testActor }, other => record(other, step)),
    );
    const more = '\\n\\+ done .*"errand_id":"e1"';
    expect(problems).toEqual([
      expect.stringMatching(`^the second delivery changed something:${more}`),
      expect.stringMatching(`^after a failed attempt it did something else:${more}`),
      expect.stringMatching(`^after a failed attempt, the second delivery changed something:${more}`),
      expect.stringMatching(`^a run that was rolled back left something:${more}`),
    ]);
  });

  test('it forgets that it has seen the event', async () => {
    const problems = await problemsOf(async (ctx, step) => {
      await record(ctx, step);
      await execute(ctx.tx, sql`delete from errands.inbox`);
    });
    expect(problems).toEqual([
      '0 deliveries were counted as skipped, not 1',
      expect.stringMatching(/^the second delivery changed something:\n\+ done /),
      '0 deliveries were counted as skipped, not 1',
      expect.stringMatching(/^after a failed attempt, the second delivery changed something:\n\+ done /),
    ]);
  });

  test('it counts its runs', async () => {
    let runs = 0;
    const problems = await problemsOf((ctx, step) => record(ctx, { ...step, step: ++runs }));
    expect(problems).toEqual([
      expect.stringMatching(
        /^after a failed attempt it did something else:\n- done .*"step":1.*\n\+ done .*"step":[2-9]/,
      ),
      expect.stringMatching(
        /^a run that was rolled back left something:\n- done .*"step":1.*\n\+ done .*"step":[2-9]/,
      ),
    ]);
  });

  test('it fails', async () => {
    const [first] = await problemsOf(async (ctx, step) => {
      await record(ctx, step);
      throw new Error('no ladder');
    });
    expect(first).toBe('it could not be handled: {"kind":"retry","error":"no ladder"}');
  });

  test('its sample does nothing, and nobody said so', async () => {
    const idle = async () => {};
    expect(await problemsOf(idle)).toEqual([
      expect.stringMatching(/its sample changed nothing: arrange what/),
    ]);
    expect(await problemsOf(idle, { writesNothing: true })).toEqual([]);
  });

  const lastWins = async (ctx: Ctx, { errandId, step }: Step) => {
    await execute(ctx.tx, sql`delete from errands.done where errand_id = ${errandId}`);
    await record(ctx, { errandId, step });
  };

  test('ORD-14: the last message wins where no order is kept', async () => {
    handle = lastWins;
    const [problem] = await orderProblems(system, { service, samples: events });
    expect(problem).toMatch(
      /^another order gives another state \(seed -?\d+\): .*\n- done .*"step":3.*\n\+ done /,
    );
  });

  test('ORD-14: only a state that the service chose itself may hide that', async () => {
    handle = lastWins;
    const state = (on: System, tenantId: string) =>
      on.query('errands', 'select count(*)::int as n from done where tenant_id = $1', [tenantId]);
    expect(await orderProblems(system, { service, samples: events, state })).toEqual([]);
  });

  test('ORD-14: the newest message may win', async () => {
    handle = async (ctx, { errandId, step }) => {
      await execute(ctx.tx, sql`delete from errands.done where errand_id = ${errandId} and step < ${step}`);
      const newer = sql`select from errands.done where errand_id = ${errandId} and step > ${step}`;
      await execute(
        ctx.tx,
        sql`insert into errands.done (tenant_id, errand_id, step)
            select ${ctx.tenantId}::uuid, ${errandId}, ${step}::integer where not exists (${newer})`,
      );
    };
    expect(await orderProblems(system, { service, samples: events })).toEqual([]);
  });
});
