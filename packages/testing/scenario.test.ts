import type { PendingEvent } from '@ghasi/event-envelope/define-event';
import { describe, expect, test } from 'vitest';
import { asked, errands, STEPS, type Step, StepAsked, StepDone } from './fixtures/errands.ts';
import { type Decider, type Expected, like, scenario } from './scenario.ts';

type State = { readonly open: readonly number[] };
type Refused = { readonly kind: 'refused'; readonly reason: 'not-asked' };

/** A step is done when it was asked for; every step but the last asks for the next one. */
const rules: Decider<State, Step, Refused> = {
  initial: { open: [] },
  evolve({ open }, { event, payload }: PendingEvent) {
    const { step } = payload as Step;
    return { open: event.subject === StepAsked.subject ? [...open, step] : open.filter(one => one !== step) };
  },
  decide({ open }, { errandId, step }) {
    if (!open.includes(step)) return { kind: 'refused', reason: 'not-asked' };
    const done = StepDone.from({ errandId, step }, { aggregateVersion: step });
    return step < STEPS ? [done, asked({ errandId, step: step + 1 })] : [done];
  },
};

const e1 = (step: number): Step => ({ errandId: 'e1', step });

describe('a scenario of rules', () => {
  test('what happened before decides, and exactly what is expected happens', () => {
    scenario(rules)
      .given([asked(e1(1))])
      .when(e1(1))
      .then([like(StepDone, { step: 1 }), asked(e1(2))]);
  });

  test('a refusal is an outcome', () => {
    scenario(rules).when(e1(1)).thenRefused({ reason: 'not-asked' });
  });

  test('events of several givens add up', () => {
    scenario(rules)
      .given([asked(e1(1))])
      .given([StepDone.from(e1(1), { aggregateVersion: 1 })])
      .when(e1(1))
      .thenRefused({ kind: 'refused' });
  });

  const first = scenario(rules)
    .given([asked(e1(1))])
    .when(e1(1));
  const done = { subject: StepDone.subject, payload: e1(1) };
  const next = { subject: StepAsked.subject, payload: e1(2) };

  test.each<[string, Expected[], object]>([
    ['nothing', [], { expected: [], actual: [done, next] }],
    ['an event too few', [like(StepDone)], { expected: [{ payload: {} }], actual: [done, next] }],
    ['an event too many', [like(StepDone), like(StepAsked), like(StepAsked)], { actual: [done, next] }],
    [
      'another payload',
      [like(StepDone, { step: 9 }), like(StepAsked)],
      { expected: [{ payload: { step: 9 } }, {}], actual: [{ payload: { step: 1 } }, {}] },
    ],
    [
      'another order',
      [like(StepAsked), like(StepDone)],
      {
        expected: [{ subject: StepAsked.subject }, { subject: StepDone.subject }],
        actual: [{ subject: StepDone.subject }, { subject: StepAsked.subject }],
      },
    ],
  ])('expecting %s fails, and shows both sides', (_what, expected, difference) => {
    expect(thrownBy(() => first.then(expected))).toMatchObject(difference);
  });

  test('a refusal nobody expected is told, and a missing one too', () => {
    expect(() => scenario(rules).when(e1(1)).then([])).toThrow(/it was refused: .*not-asked/);
    expect(() => first.thenRefused({ reason: 'not-asked' })).toThrow(/it was accepted: .*done\.v1/);
  });

  test('a scenario without its end does not pass', async () => {
    await expect(Promise.resolve(first as unknown)).rejects.toThrow(/ends with \.then\(\[events\]\)/);
  });
});

test('a service needs a system', () => {
  expect(() => scenario(errands([]), undefined as never)).toThrow(/needs a system/);
});

function thrownBy(work: () => void): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}
