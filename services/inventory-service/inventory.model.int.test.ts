import { addDays } from '@ghasi/domain-primitives/local-date';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type House, NOW, openHouse } from './fixtures/house.ts';
import {
  type InventoryModel,
  inventoryCommands,
  NIGHTS,
  type RealInventory,
  roomsOn,
  soldOn,
} from './fixtures/inventory-model.ts';
import { horizon } from './model.ts';

// CI runs 200 sequences; the nightly run asks for 20000.
const numRuns = Number(process.env.MELM_MODEL_RUNS ?? 200);
const ROOMS = 3;

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

test('M1: whatever is held, confirmed, released, extended, cut and expires, no night is sold beyond its rooms and limit, and the counters are the sum of what is allocated', async () => {
  const met: Record<string, number> = {};
  const sequences = fc.commands(inventoryCommands(), { maxCommands: 20, size: 'max' });
  const first = addDays(horizon(NOW).until, -NIGHTS - 3);
  const dates = Array.from({ length: NIGHTS + 1 }, (_, n) => addDays(first, n));
  await fc.assert(
    fc.asyncProperty(sequences, async commands => {
      const inn = await house.inn(ROOMS, { from: first });
      const model: InventoryModel = { rooms: ROOMS, limit: 0, now: 0, bookings: [], blocks: [], met };
      const real: RealInventory = { house, inn, dates, bookings: [], blocks: [] };
      await fc.asyncModelRun(() => ({ model, real }), withChecks(commands));
    }),
    { numRuns },
  );
  for (const what of [
    'held',
    'refused',
    'confirmed',
    'released',
    'expired',
    'extended',
    'kept its dates',
    'cut',
  ])
    expect(met[what] ?? 0, `${what} was met`).toBeGreaterThan(0);
}, 600_000);

type Commands = Iterable<fc.AsyncCommand<InventoryModel, RealInventory>>;

/** Every step ends with a look at all counters. */
function* withChecks(commands: Commands): Generator<fc.AsyncCommand<InventoryModel, RealInventory>> {
  for (const command of commands)
    yield {
      check: model => command.check(model),
      run: async (model, real) => {
        await command.run(model, real);
        await expectSame(model, real);
      },
      toString: () => command.toString(),
    };
}

async function expectSame(model: InventoryModel, { inn, dates }: RealInventory): Promise<void> {
  const nights = await house.database.admin<Record<string, number>>(
    `select n.sold, n.rooms, n.capacity, n.overbook_limit as limit,
            (select count(*)::int
             from inventory.allocation_rooms l
             join inventory.allocations a on a.tenant_id = l.tenant_id and a.id = l.allocation_id
             where l.tenant_id = n.tenant_id and l.room_type_id = n.room_type_id
               and a.status in ('held', 'confirmed', 'kept')
               and l.arrival <= n.date and n.date < l.departure) as allocated
     from inventory.nights n
     where n.tenant_id = $1 and n.date >= $2 and n.date < $3
     order by n.date`,
    [inn.tenantId, dates[0], dates[NIGHTS]],
  );
  const expected = Array.from({ length: NIGHTS }, (_, night) => {
    const [sold, rooms, limit] = [soldOn(model, night), roomsOn(model, night), model.limit];
    return { sold, rooms, capacity: rooms, limit, allocated: sold };
  });
  expect(nights).toEqual(expected);
  for (const { sold = 0, capacity = 0, limit = 0 } of nights) {
    expect(sold).toBeGreaterThanOrEqual(0);
    expect(sold).toBeLessThanOrEqual(capacity + limit);
  }
}
