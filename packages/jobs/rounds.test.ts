import { newTenantId } from '@ghasi/testing/tenants';
import { expect, test } from 'vitest';
import { type Round, rounds } from './rounds.ts';

type Row = { tenantId: ReturnType<typeof newTenantId>; id: number };

const tenantId = newTenantId();
const log = { warn() {} } as never;
const rowsOf = (...ids: number[]): Row[] => ids.map(id => ({ tenantId, id }));

/** Rounds over rows of which some always fail; says who had his turn, and how many rows were asked for. */
function goingRound(round: Round<Row>, due: Row[], isBad: (id: number) => boolean) {
  return async () => {
    const turns: number[] = [];
    let asked = 0;
    const first = async (most: number) => {
      asked = most;
      return due.slice(0, most);
    };
    const gone = round({ log }, first, async ({ id }) => {
      turns.push(id);
      if (isBad(id)) throw new Error(`${id} is broken`);
      due.splice(
        due.findIndex(one => one.id === id),
        1,
      );
    });
    await gone.catch(() => {});
    return { turns, asked };
  };
}

test('where nothing fails a round asks for no more than it takes, however often it is gone', async () => {
  const go = goingRound(rounds({ most: 2 }), rowsOf(1, 2, 3), () => false);
  expect(await go()).toEqual({ turns: [1, 2], asked: 2 });
  expect(await go()).toEqual({ turns: [3], asked: 4 });
  expect(await go()).toEqual({ turns: [], asked: 3 });
  expect(await go()).toEqual({ turns: [], asked: 2 });
});

test('more that fail than one round takes hide nobody behind them, and have their turns when there is room', async () => {
  const due = rowsOf(1, 2, 3, 4, 5, 6);
  const go = goingRound(rounds({ most: 2 }), due, id => id <= 5);
  const turns: number[][] = [];
  for (let n = 0; n < 6; n++) turns.push((await go()).turns);
  expect(turns).toEqual([
    [1, 2],
    [3, 4],
    [5, 6],
    [1, 2],
    [3, 4],
    [5, 1],
  ]);
  due.push(...rowsOf(7));
  expect((await go()).turns).toEqual([7, 2]);
});

test('what is not due any more is forgotten, and stands where it belongs when it is due again', async () => {
  const due = rowsOf(1, 2);
  const go = goingRound(rounds({ most: 2 }), due, () => true);
  await go();
  const left = due.splice(0, 2);
  expect(await go()).toEqual({ turns: [], asked: 4 });
  due.push(...left, ...rowsOf(3));
  expect(await go()).toEqual({ turns: [1, 2], asked: 2 });
});

test('rows that change are told apart by their name', async () => {
  let moment = 0;
  const round = rounds<Row & { moment: number }>({ most: 1, nameOf: ({ id }) => String(id) });
  const turns: number[] = [];
  const due = async (most: number) =>
    rowsOf(1, 2)
      .slice(0, most)
      .map(one => ({ ...one, moment: ++moment }));
  for (let n = 0; n < 4; n++) await round({ log }, due, async ({ id }) => turns.push(id));
  expect(turns).toEqual([1, 2, 1, 2]);
});
