import { newTenantId } from '@ghasi/testing/tenants';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newCast, type Spoken } from './fixtures/cast.ts';
import { factsInTables, inOrder } from './fixtures/facts-in-tables.ts';
import { type Analytics, openAnalytics } from './fixtures/open-analytics.ts';
import { plainHistory } from './fixtures/plain-history.ts';
import { countOnFingers } from './fixtures/reference.ts';
import { eventsOf } from './fixtures/story-events.ts';

let analytics: Analytics;
beforeAll(async () => {
  analytics = await openAnalytics();
});
afterAll(() => analytics.close());

/** Some numbers to shuffle and cut by; the same for the same seed. */
const dice = fc.infiniteStream(fc.nat());

/** Every event at least once, some of them twice, in an order that the dice decide. */
function shuffled(spoken: readonly Spoken[], roll: () => number): Spoken[] {
  const all = [...spoken, ...spoken.filter(() => roll() % 4 === 0)];
  for (let left = all.length - 1; left > 0; left -= 1) {
    const other = roll() % (left + 1);
    [all[left], all[other]] = [all[other] as Spoken, all[left] as Spoken];
  }
  return all;
}

test('ORD-14, R1, R11, R19: in any order, twice, late and computed in between, the numbers are those of the story', async () => {
  await fc.assert(
    fc.asyncProperty(plainHistory, dice, async (history, stream) => {
      const roll = () => stream.next().value as number;
      const [tenantId, cast] = [newTenantId(), newCast()];
      const heard = shuffled(eventsOf(history, cast), roll);
      for (let from = 0; from < heard.length; ) {
        const until = from + 1 + (roll() % 20);
        await analytics.hear(tenantId, heard.slice(from, until));
        if (roll() % 4 === 0) await analytics.compute(tenantId, cast.propertyId);
        from = until;
      }
      await analytics.compute(tenantId, cast.propertyId);
      const found = await factsInTables(analytics.database, { tenantId, cast });
      expect(inOrder(found)).toEqual(inOrder(countOnFingers(history)));
    }),
    // On a crowded machine as many as there is time for; a failure is told with its seed all the same.
    { numRuns: 60, interruptAfterTimeLimit: 60_000 },
  );
});
