import { expect, test } from 'vitest';
import { asJson, asTable, type Found, isFlawless } from './report.ts';

const third = { events: 10, p50: 2, p99: 5 };
const phase = { ...third, events: 30, thirds: [third, third, { ...third, p99: 10 }], others: 0 };
const found: Found = {
  seconds: 1,
  postgres: '18.4',
  alone: phase,
  held: { ...phase, p99: 10, others: 99 },
  openSeconds: 2,
  stuck: 0,
  verdict: { written: 61, lost: 0, doubled: 0, waiting: 0 },
  heldEvent: { times: 1, ms: 4 },
};

test('one event lost, doubled, late or held up, or a held one that came twice or never, and the run has failed', () => {
  const { verdict } = found;
  expect(isFlawless(found)).toBe(true);
  for (const fault of [
    { verdict: { ...verdict, lost: 1 } },
    { verdict: { ...verdict, doubled: 1 } },
    { verdict: { ...verdict, waiting: 1 } },
    { stuck: 1 },
    { heldEvent: { times: 0, ms: null } },
    { heldEvent: { times: 2, ms: 4 } },
  ])
    expect(isFlawless({ ...found, ...fault })).toBe(false);
});

test('the table shows what holding costs, whether it grows, and who disturbed; JSON has the same ratios', () => {
  const table = asTable(found);
  expect(table).toContain('p99 held against alone: 2.00; last third against first: 2.00 while held');
  expect(table).toContain('! 99 %');
  expect(asTable({ ...found, heldEvent: { times: 0, ms: null } })).toContain('was applied 0 times');
  expect(JSON.parse(asJson(found))).toMatchObject({ ratios: { heldToAlone: 2 }, flawless: true });
});
