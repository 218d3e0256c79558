import { idToUuid } from '@ghasi/domain-primitives/ids';
import { type TestDatabase, testDatabase } from '@ghasi/testing/database';
import { waitUntil } from '@ghasi/testing/signal';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type DeskClient, deskClient, inDays } from './fixtures/desk-client.ts';
import { type ServerProcess, serve } from './fixtures/server-process.ts';

const RACES = Number(process.env.MELM_RACES ?? 1_000); // CI runs 1,000
const AT_ONCE = 50;
/** Further than the stays of the demo reach: there is room, and only time decides. */
const FAR = 100;
const HOLD_SECONDS = 8;

let database: TestDatabase;
let server: ServerProcess;
let desk: DeskClient;
beforeAll(async () => {
  database = await testDatabase();
  server = await serve({ database, demo: true, env: { MELM_HOLD_SECONDS: String(HOLD_SECONDS) } });
  const owner = server.demo.find(({ slug, role }) => slug === 'bala-hissar' && role === 'owner');
  if (owner === undefined) throw new Error('the demo has no owner');
  desk = await deskClient(server.url, owner);
});
afterAll(async () => {
  await server?.kill();
  await database.drop();
});

const ids: string[] = [];

/** A guest pays by card at some moment around the end of his hold; says how the booking ended. */
async function race(number: number, lateMs: number): Promise<string> {
  const day = FAR + 2 * (number % 100);
  const draft = await desk.draft({ arrival: inDays(day), departure: inDays(day + 2) }, 'card');
  const held = await desk.send('POST', `/reservations/${draft.reservationId}/confirm`);
  const id = idToUuid(draft.reservationId);
  ids.push(id);
  const page = await waitUntil('there is a page to pay on, or the hold is over', async () => {
    const [now] = await database.admin<{ status: string; page: string | null }>(
      `select r.status, p.redirect_url as page from reservation.reservations r
       left join payment_gateway.intents p on p.reservation_id = r.id where r.id = $1`,
      [id],
    );
    return now?.page ?? (now?.status === 'held' ? undefined : 'over');
  });
  if (page !== 'over') {
    const at = Date.parse(held.expiresAt) + lateMs;
    await waitUntil('the guest presses the button', () => Date.now() >= at);
    await fetch(page, { method: 'POST', body: new URLSearchParams({ action: 'pay' }), redirect: 'manual' });
  }
  return waitUntil('the booking is decided', async () => {
    const [booking] = await database.admin<{ status: string }>(
      'select status from reservation.reservations where id = $1',
      [id],
    );
    return booking?.status === 'held' ? undefined : booking?.status;
  });
}

test(`R10, X-119: ${RACES} holds end while their guest pays: confirmed with a room, or refunded; never neither, never both`, async () => {
  const seed = Date.now() & 0xffff;
  console.info(`hold race: seed ${seed}`);
  // The sweeper looks every 5 s, so that is how long after its deadline a hold may still be alive.
  const [moments = []] = fc.sample(
    fc.array(fc.integer({ min: -4_000, max: 6_000 }), { minLength: RACES, maxLength: RACES }),
    { numRuns: 1, seed },
  );
  const outcomes: string[] = [];
  for (let from = 0; from < RACES; from += AT_ONCE) {
    const some = moments.slice(from, from + AT_ONCE);
    outcomes.push(...(await Promise.all(some.map((lateMs, n) => race(from + n, lateMs)))));
    console.info(`hold race: ${outcomes.length} of ${RACES}`);
  }
  await waitUntil(
    'every refund has gone out and inventory has heard of every end',
    async () => {
      const [left] = await database.admin<{ refunds: bigint; holds: bigint }>(
        `select (select count(*) from payment_gateway.refunds f join payment_gateway.intents p on p.id = f.payment_id
                 where p.reservation_id = any($1::uuid[]) and f.status not in ('completed', 'failed')) as refunds,
                (select count(*) from inventory.allocations
                 where reservation_id = any($1::uuid[]) and status = 'held') as holds`,
        [ids],
      );
      return left?.refunds === 0n && left.holds === 0n;
    },
    { timeoutMs: 120_000 },
  );
  // What the three services know of each booking, side by side.
  const ends = await database.admin<{ status: string; rooms: string; kept: bigint; bookings: bigint }>(
    `select r.status, coalesce(a.status, 'none') as rooms,
            coalesce(sum(p.captured - p.refunded), 0)::bigint as kept, count(distinct r.id) as bookings
     from reservation.reservations r
     left join inventory.allocations a on a.reservation_id = r.id
     left join payment_gateway.intents p on p.reservation_id = r.id
     where r.id = any($1::uuid[])
     group by r.id, r.status, a.status`,
    [ids],
  );
  const count = (status: string) => ends.filter(end => end.status === status).length;
  console.info(`hold race: ${count('confirmed')} confirmed, ${count('cancelled')} cancelled`);
  expect(ends).toHaveLength(RACES);
  const wrong = ends.filter(({ status, rooms, kept }) =>
    status === 'confirmed'
      ? rooms !== 'confirmed' || kept === 0n
      : rooms === 'confirmed' || rooms === 'held' || kept !== 0n,
  );
  expect(wrong).toEqual([]);
  expect(new Set(outcomes)).toEqual(new Set(['confirmed', 'cancelled']));
});
