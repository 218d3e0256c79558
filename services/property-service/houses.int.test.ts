import { createLogger } from '@ghasi/telemetry/logger';
import { newTenantId } from '@ghasi/testing/tenants';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { housesOfAnswer, sizeOfAnswer } from './answers.ts';
import { draftRoomType } from './commands/room-type.ts';
import { housesOf, sizeOf } from './contract/resources.ts';
import { type House, openHouse, plainRoom } from './fixtures/house.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

const log = createLogger({ name: 'test', level: 'silent' });
const asking = () => ({ db: house.db, log, ask: () => Promise.reject(new Error('asks nobody')) });
const ask = async (tenantId: ReturnType<typeof newTenantId>) =>
  housesOf.output.parse(await housesOfAnswer.handle(asking(), { tenantId }));

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

test('X-040: the size of a tenant is its rooms in use, in all its houses', async () => {
  const who = house.person();
  const size = async (tenantId = who.tenantId) =>
    sizeOf.output.parse(await sizeOfAnswer.handle(asking(), { tenantId })).rooms;
  expect(await size()).toBe(0);
  for (const _ of ['one house', 'another']) {
    const { id } = await house.property(who);
    await house.rooms(who, id); // one room each
  }
  expect(await size()).toBe(2);
  expect(await size(newTenantId())).toBe(0);
});
