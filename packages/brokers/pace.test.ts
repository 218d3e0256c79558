import { expect, test } from 'vitest';
import { Pace } from './pace.ts';

test('a subscription is shared once messages of another tenant follow, and not before', () => {
  const pace = new Pace({ gathers: false });
  expect(pace.isShared).toBe(false);
  pace.begins('a');
  pace.begins('a');
  expect(pace.isShared).toBe(false);
  pace.begins('b');
  expect(pace.isShared).toBe(true);
});

test('quick messages go together, and the slower they are the fewer; of slow ones, batches get smaller', () => {
  const pace = new Pace({ gathers: false });
  const after = (messageMs: number) => {
    for (let times = 0; times < 200; times++) pace.took(messageMs, 1);
    return [pace.few, pace.together, pace.most];
  };
  expect([pace.few, pace.together, pace.most]).toEqual([64, 50, 1_000]);
  expect(after(0.3)).toEqual([64, 166, 3_333]);
  expect(after(2)).toEqual([64, 25, 500]);
  expect(after(40)).toEqual([64, 1, 25]);
  expect(after(64)).toEqual([0, 0, 15]);
  expect(after(8_000)).toEqual([0, 0, 1]);
  const { few, together } = new Pace({ gathers: true });
  expect([few, together]).toEqual([64, Number.POSITIVE_INFINITY]);
});
