import { createLogger } from '@ghasi/telemetry/logger';
import { newTenantId } from '@ghasi/testing/tenants';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { housesOfAnswer } from './answers.ts';
import { draftRoomType } from './commands/room-type.ts';
import { housesOf } from './contract/resources.ts';
import { type House, openHouse, plainRoom } from './fixtures/house.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

const log = createLogger({ name: 'test', level: 'silent' });
const ask = async (tenantId: ReturnType<typeof newTenantId>) => {
  const ctx = { db: house.db, log, ask: () => Promise.reject(new Error('asks nobody')) };
  return housesOf.output.parse(await housesOfAnswer.handle(ctx, { tenantId }));
};

test('the site is told of every house with what is published of its rooms, and of nobody else’s', async () => {
  const who = house.person();
  const { id: propertyId } = await house.property(who);
  const { type } = await house.rooms(who, propertyId);
  await house.inside(who.tenantId, ctx => draftRoomType(ctx, { propertyId, code: 'NEW', spec: plainRoom }));
  const { houses } = await ask(who.tenantId);
  expect(houses).toMatchObject([
    { propertyId, currency: 'AFN', roomTypes: [{ roomTypeId: type.id, code: 'DBL', spec: plainRoom }] },
  ]);
  expect(await ask(newTenantId())).toEqual({ houses: [] });
});
