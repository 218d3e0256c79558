import { signal } from '@ghasi/testing/signal';
import { expect, test } from 'vitest';
import { done, expectNoOverlaps, newPlace, recorder } from './conformance-world.conformance.ts';

test('the suite fails for a broker that has a key worked on twice at once', async () => {
  const { service, topic, message } = newPlace();
  const gate = signal();
  const { subscriber } = recorder(service, [topic], { decide: () => gate.promise.then(() => done) });
  const handle = (n: number) => {
    const delivery = { ...message('a', n), id: String(n), publishedAt: new Date(), attempt: 1 };
    return subscriber.handle([delivery], undefined);
  };
  const first = handle(1);
  expectNoOverlaps();
  const second = handle(2);
  gate.fire();
  await Promise.all([first, second]);
  expect(expectNoOverlaps).toThrow('worked on twice at once');
  await handle(3);
  expectNoOverlaps();
});
