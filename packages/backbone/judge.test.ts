import { expect, test } from 'vitest';
import { flawless, isFlawless } from './fixtures/chaos/judge.ts';

const report = { committed: 100, effects: 220, verdict: flawless, examples: [], liars: [], broken: [] };

test('a chaos run with one fault has failed, and so has one in which less happened than was asked for', () => {
  expect(isFlawless(report, 100)).toBe(true);
  for (const name of Object.keys(flawless))
    expect(isFlawless({ ...report, verdict: { ...flawless, [name]: 1 } }, 100), name).toBe(false);
  expect(isFlawless({ ...report, liars: ['rolled back'] }, 100)).toBe(false);
  expect(isFlawless({ ...report, broken: ['committed'] }, 100)).toBe(false);
  expect(isFlawless(report, 101)).toBe(false);
  for (const events of [0, Number.NaN]) expect(isFlawless(report, events)).toBe(false);
});
