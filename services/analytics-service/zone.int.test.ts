import { newTenantId } from '@ghasi/testing/tenants';
import { afterEach, expect, test } from 'vitest';
import { momentOf, newCast } from './fixtures/cast.ts';
import { everythingHappens, plainBooking } from './fixtures/everything-happens.ts';
import { factsInTables, inOrder } from './fixtures/facts-in-tables.ts';
import { openAnalytics } from './fixtures/open-analytics.ts';
import { DAY } from './fixtures/plain-history.ts';
import { countOnFingers } from './fixtures/reference.ts';
import { eventsOf } from './fixtures/story-events.ts';

const zoneOfProcess = process.env.TZ;
afterEach(() => {
  if (zoneOfProcess === undefined) delete process.env.TZ;
  else process.env.TZ = zoneOfProcess;
});

/** Around midnight everywhere: 20:00 UTC is tomorrow in Kabul and noon in Los Angeles. */
const history = {
  ...everythingHappens,
  bookings: [
    ...everythingHappens.bookings,
    ...[-200, -300, 1_170, 1_200, 5 * DAY - 1].map(minute => plainBooking({ minute })),
  ],
};

test.each([
  ['UTC', 0],
  ['Asia/Kabul', -270],
  ['America/Los_Angeles', 480],
])('R3: on a server and with a database in %s the numbers are the same', async (zone, offset) => {
  process.env.TZ = zone;
  expect(new Date(0).getTimezoneOffset()).toBe(offset);
  const analytics = await openAnalytics({ now: momentOf(6 * DAY) });
  const name = new URL(analytics.database.adminUrl).pathname.slice(1);
  await analytics.database.admin(`alter database ${name} set timezone = '${zone}'`);
  const [tenantId, cast] = [newTenantId(), newCast()];
  await analytics.hear(tenantId, eventsOf(history, cast));
  await analytics.compute(tenantId, cast.propertyId);
  const [setting] = await analytics.inside(
    tenantId,
    async ({ tx }) => (await tx.$client.query('show timezone')).rows,
  );
  expect(setting).toEqual({ TimeZone: zone });
  const found = await factsInTables(analytics.database, { tenantId, cast });
  expect(inOrder(found)).toEqual(inOrder(countOnFingers(history)));
  await analytics.close();
});
