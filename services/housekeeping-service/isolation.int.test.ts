import { type Id, newId } from '@ghasi/domain-primitives/ids';
import { foreignLooksAbsent, isolationContract } from '@ghasi/testing/isolation';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { observe } from './commands/observe.ts';
import { FIRST_DAY, type House, type Inn, openHouse } from './fixtures/house.ts';
import { savePlan } from './queries/houses.ts';
import { saveBlock } from './queries/overlays.ts';
import { service } from './service.ts';

let house: House;
let a: Inn;
let b: Inn;
let foreign: Record<string, string>;
beforeAll(async () => {
  house = await openHouse();
  [a, b] = [await house.inn(1), await house.inn(1)];
  for (const inn of [a, b]) {
    const [roomId] = inn.rooms as [Id<'rom'>];
    const { tenantId, propertyId } = inn;
    const booking = inn.book({ arrival: FIRST_DAY, departure: '2027-05-12', roomId });
    await house.hear(tenantId, booking.checkedIn(), booking.checkedOut({ businessDate: FIRST_DAY }));
    const discrepancy = await house.inside(tenantId, async ctx => {
      savePlan(ctx, { propertyId, kind: 'turndown', plan: { estimatedMinutes: 5, items: [] } });
      const days = { from: '2027-06-01', until: '2027-06-02' };
      const block = { ticketId: newId('mtk'), propertyId, roomId, kind: 'out_of_order', days } as const;
      await saveBlock(ctx, { ...block, returnCondition: 'dirty', ended: false }, 1);
      return observe(ctx, { roomId, occupancy: 'occupied', persons: 1 });
    });
    const [task] = await house.tasksOf(tenantId, roomId);
    const discrepancyId = discrepancy?.id as string;
    foreign = { propertyId, roomId, taskId: task?.id as string, discrepancyId, kind: 'turndown' };
  }
});
afterAll(() => house.close());

describe('TEN-08, safety-3, safety-7: every table keeps tenants apart', () => {
  isolationContract(service, () => ({ ...house, own: a.tenantId, other: b.tenantId }));
});

const ownerOf = ({ tenantId }: Inn) => ({ tenantId, roles: ['owner'] });

describe('safety-10: what belongs to B and what does not exist look the same to A, on every route with an id', () => {
  foreignLooksAbsent(service, () => {
    const absent = {
      ...{ propertyId: newId('pro'), roomId: newId('rom'), taskId: newId('hkt') },
      ...{ discrepancyId: crypto.randomUUID(), kind: 'turndown' },
    };
    const bodies = {
      ...{ '/assign': { assigneeId: newId('usr') }, '/start': {}, '/cancel': {} },
      ...{ '/complete': { outcome: 'done' }, '/inspect': { passed: true }, '/checklist': { done: [] } },
      ...{ '/observations': { occupancy: 'vacant' }, '/resolve': { decision: 'observation_wrong' } },
      '/plans/:kind': { estimatedMinutes: 5, items: [] },
      '/houses/:propertyId': { stayoverService: true, deepCleanEvery: null },
    };
    return { own: ownerOf(a), other: ownerOf(b), send: house.send, foreign, absent, bodies };
  });
});

test('safety-10: the board and the lists of a house of B are to A those of no house', async () => {
  const owner = ownerOf(a);
  for (const propertyId of [b.propertyId, newId('pro')]) {
    const board = await house.send(owner, 'GET', `/housekeeping/rooms?propertyId=${propertyId}`);
    expect(board.status).toBe(404);
  }
  for (const list of ['tasks', 'discrepancies']) {
    const { body } = await house.send(owner, 'GET', `/housekeeping/${list}?propertyId=${b.propertyId}`);
    expect(body[list]).toEqual([]);
  }
});

test('safety-8: two tenants may have the same room and ticket ids and learn nothing of each other', async () => {
  const [roomId] = b.rooms as [Id<'rom'>];
  const mine = a.book({ arrival: FIRST_DAY, departure: '2027-05-12', roomId });
  await house.hear(a.tenantId, mine.checkedIn());
  expect((await house.roomOf(a.tenantId, roomId)).state.occupancy).toBe('occupied');
  expect((await house.roomOf(b.tenantId, roomId)).state.occupancy).toBe('vacant');
});
