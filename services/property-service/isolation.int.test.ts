import { newId } from '@ghasi/domain-primitives/ids';
import { foreignLooksAbsent, isolationContract } from '@ghasi/testing/isolation';
import { afterAll, beforeAll, describe } from 'vitest';
import { closeDay } from './commands/close-day.ts';
import { type House, openHouse, type Person } from './fixtures/house.ts';
import { service } from './service.ts';

let house: House;
let a: Person;
let b: Person;
/** What belongs to B. */
let foreign: { propertyId: string; roomTypeId: string; roomId: string };
beforeAll(async () => {
  house = await openHouse();
  [a, b] = [house.person(), house.person()];
  for (const who of [a, b]) {
    const { id: propertyId } = await house.property(who, { businessDate: '2026-03-20' });
    const { type, room } = await house.rooms(who, propertyId);
    const run = { propertyId, businessDate: '2026-03-20', open: [] };
    await house.inside(who.tenantId, ctx => closeDay(ctx, run), new Date('2026-03-21T00:00:00Z'));
    foreign = { propertyId, roomTypeId: type.id, roomId: room.id };
  }
});
afterAll(() => house.close());

describe('R1, TEN-08, safety-3, safety-7, safety-26: every table keeps tenants apart, and what only grows stays', () => {
  isolationContract(service, () => ({ ...house, own: a.tenantId, other: b.tenantId }), {
    onlyGrows: ['day_closes', 'room_type_specs'],
  });
});

describe('safety-10: what belongs to B and what does not exist look the same to A, on every route with an id', () => {
  foreignLooksAbsent(service, async () => {
    const absent = { propertyId: newId('pro'), roomTypeId: newId('rty'), roomId: newId('rom') };
    const { body } = await house.send<{ draft: object }>(b, 'GET', `/room-types/${foreign.roomTypeId}`);
    const spec = body.draft;
    const bodies = {
      '/properties/:propertyId': { version: 1, checkInFrom: '10:00' },
      '/amenities': { version: 1, amenities: [] },
      '/day-close': { businessDate: '2026-03-20' },
      '/room-types': { code: 'X', spec },
      '/draft': { version: 1, spec },
      '/publish': { version: 1 },
      '/rooms': { roomTypeId: absent.roomTypeId, number: '1' },
      '/archive': { version: 1, closedFrom: '2026-05-01', reason: 'closed' },
    };
    return { own: a, other: b, send: house.send, foreign, absent, bodies };
  });
});
