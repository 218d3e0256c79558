import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { pairDevice } from './fixtures/enrol.ts';
import { type Gate, openGate } from './fixtures/gate.ts';
import { allIsTold } from './fixtures/session-events.ts';
import { freshModel, nothingRevives, type Real, sessionSteps } from './fixtures/session-model.ts';

/** Sequences per run; the nightly run asks for more. */
const RUNS = Number(process.env.MODEL_RUNS ?? 200);

let gate: Gate;
beforeAll(async () => {
  gate = await openGate();
});
afterAll(() => gate.close());

test('M9, EVT-02, EVT-03: sign in, second factor, refresh, steal, revoke, wait in any order: nothing is accepted after its end, and all of it is told once', {
  timeout: 600_000,
}, async () => {
  const taken = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(sessionSteps, async steps => {
      const owner = await gate.hire({ roles: ['owner'] });
      const person = await gate.hire({ tenantId: owner.tenantId, roles: ['manager', 'front_desk'] });
      const device = await pairDevice(gate, owner);
      const client = gate.client(owner.tenantId);
      const boss = () => gate.client(owner.tenantId).enter(owner);
      const real: Real = { gate, person, owner, device, client, boss, secret: undefined, taken };
      const model = freshModel(gate.clock.now());
      await fc.asyncModelRun(() => ({ model, real }), steps);
      await nothingRevives(model, real);
      await allIsTold(model, real);
    }),
    { numRuns: RUNS },
  );
  // every kind of step was taken, so that a model that does nothing cannot pass
  const wanted = [
    'signIn',
    'refresh',
    'signOut',
    'switchRole',
    'enrol',
    'revokeAll',
    'disable',
    'enable',
    'revokeDevice',
    'wait',
  ];
  if (RUNS >= 200) expect(wanted.filter(kind => (taken.get(kind) ?? 0) < 5)).toEqual([]);
});
