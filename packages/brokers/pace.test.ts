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
