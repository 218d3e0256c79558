import { addDays, parseLocalDate } from '@ghasi/domain-primitives/local-date';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { beginWaitingBlocks } from './commands/waiting-blocks.ts';
import { AllocationCommitted } from './contract.ts';
import type { Booking } from './fixtures/bookings.ts';
import { openFeed, type TestFeed } from './fixtures/feeds.ts';
import { type House, type Inn, openHouse } from './fixtures/house.ts';

const ROOMS = 2;
const first = parseLocalDate('2028-03-10'); // near the horizon: an inn of few nights is made quickly
const day = (n: number) => addDays(first, n);

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

const span = fc
  .tuple(fc.nat(7), fc.integer({ min: 1, max: 4 }))
  .map(([from, length]) => ({ from: day(from), until: day(from + length) }));
const calendar = fc
  .uniqueArray(fc.record({ uid: fc.constantFrom('a', 'b', 'c', 'd'), nights: span }), {
    selector: ({ uid }) => uid,
    maxLength: 4,
  })
  .map(list => list.map(({ uid, nights }) => ({ uid, ...nights })));
type Step =
  | { kind: 'portal'; feed: number; events: { uid: string; from: string; until: string }[] }
  | { kind: 'hold'; nights: { from: string; until: string }; room: number | null }
  | { kind: 'cancel'; which: number }
  | { kind: 'retry' };
const hold = fc.record({
  kind: fc.constant('hold' as const),
  nights: span,
  room: fc.option(fc.nat(ROOMS - 1)),
});
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant('portal' as const), feed: fc.nat(2), events: calendar }),
  { weight: 2, arbitrary: hold }, // a full house is what refuses
  fc.record({ kind: fc.constant('cancel' as const), which: fc.nat(9) }),
  fc.constant({ kind: 'retry' as const }),
);

/** What no sequence of imports and bookings may break, as the database sees it. */
async function expectSound({ tenantId }: Inn): Promise<void> {
  const wrong = await house.database.admin(
    `with uses as (
       select block_id, from_date, until_date from inventory.room_uses where tenant_id = $1 and block_id is not null
       union all select block_id, from_date, until_date from inventory.type_uses where tenant_id = $1)
     select 'counter' as what, n.date::text as about from inventory.nights n
     where n.tenant_id = $1
       and (n.rooms <> (select count(*) from inventory.rooms r where r.tenant_id = $1)
                     - (select count(*) from uses u where u.from_date <= n.date and n.date < u.until_date)
            or n.sold > n.rooms + n.overbook_limit
            or n.sold <> (select count(*) from inventory.allocation_rooms l where l.tenant_id = $1
                          and l.arrival <= n.date and n.date < l.departure))
     union all
     select 'block ' || b.status, b.event_uid from inventory.blocks b
     where b.tenant_id = $1
       and (b.status = 'active') <> ((select coalesce(sum(u.until_date - u.from_date), 0) from uses u where u.block_id = b.id)
                                     = b.until_date - b.from_date)
     union all
     select 'outside', b.event_uid from inventory.blocks b join uses u on u.block_id = b.id
     where b.tenant_id = $1 and (u.from_date < b.from_date or u.until_date > b.until_date or b.status = 'ended')`,
    [tenantId],
  );
  expect(wrong).toEqual([]);
}

test('M1, R11, R13: whatever portals tell and guests book, no night is sold beyond its rooms, every block has what it says, and a calendar read again changes nothing', async () => {
  const met = { waiting: 0, active: 0, refused: 0, begun: 0 };
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 10 }), async steps => {
      const inn = await house.inn(ROOMS, { zone: 'Asia/Kabul', from: first });
      const feeds: TestFeed[] = [];
      for (const [n, room] of [0, 0, undefined].entries())
        feeds.push(await openFeed(house, inn, { name: `F${n}`, ...(room === undefined ? {} : { room }) }));
      const bookings: Booking[] = [];
      for (const one of steps) {
        if (one.kind === 'portal') {
          const feed = feeds[one.feed] as TestFeed;
          const { counts } = await feed.take(one.events);
          met.waiting += counts?.waiting ?? 0;
          met.active += (counts?.added ?? 0) - (counts?.waiting ?? 0) > 0 ? 1 : 0;
          const rows = await feed.rows();
          expect((await feed.take(one.events)).counts).toMatchObject({ added: 0, moved: 0, dropped: 0 });
          expect((await feed.rows()).length).toBe(rows.length);
        } else if (one.kind === 'hold') {
          const roomId = one.room === null ? null : (inn.rooms[one.room] ?? null);
          const booking = inn.book(one.nights.from, one.nights.until, { roomId });
          const [told] = await house.hear(inn.tenantId, booking.held());
          if (told?.event === AllocationCommitted) bookings.push(booking);
          else met.refused += 1;
        } else if (one.kind === 'cancel') {
          const [booking] = bookings.splice(one.which % Math.max(1, bookings.length), 1);
          if (booking !== undefined) await house.hear(inn.tenantId, booking.cancelled());
        } else met.begun += await house.inside(inn.tenantId, beginWaitingBlocks);
        await expectSound(inn);
      }
    }),
    { numRuns: Math.max(30, Number(process.env.MELM_MODEL_RUNS ?? 0) / 10) },
  );
  for (const [what, times] of Object.entries(met))
    if (what !== 'begun') expect(times, what).toBeGreaterThan(0);
});
