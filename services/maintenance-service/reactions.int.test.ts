import { newId } from '@ghasi/domain-primitives/ids';
import { doubleDeliveryContract, type Samples } from '@ghasi/testing/double-delivery';
import { RoomAdded, RoomArchived } from '@melmastoon/property-service/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type House, inDays, load, openHouse, propertyCreated, today } from './fixtures/house.ts';
import { findHouse, findRoom } from './queries/houses.ts';
import { service } from './service.ts';

const { samples } = await load<{ samples: Samples }>('property-service/fixtures/samples.ts');

describe('INBOX-10: whatever arrives twice has one effect', () => {
  doubleDeliveryContract([service], samples);
});

describe('X-088: of a house and of a room the newest version counts', () => {
  let house: House;
  beforeAll(async () => {
    house = await openHouse();
  });
  afterAll(() => house.close());

  test('a day that is heard of before its house, and an older day after a newer one', async () => {
    const inn = await house.inn(0);
    const { tenantId } = inn;
    const [first, second] = [inn.nextDay(today), inn.nextDay(inDays(1))];
    await house.hear(tenantId, second, first);
    const now = () => house.inside(tenantId, ctx => findHouse(ctx, inn.propertyId));
    expect(await now()).toEqual({ businessDate: inDays(2), currency: 'AFN' });
    const [other, day] = [newId('pro'), second.payload as object];
    const early = second.event.from({ ...day, propertyId: other }, { aggregateVersion: 3 });
    await house.hear(tenantId, early);
    expect(await house.inside(tenantId, ctx => findHouse(ctx, other))).toMatchObject({ currency: null });
    await house.hear(tenantId, propertyCreated(other));
    expect(await house.inside(tenantId, ctx => findHouse(ctx, other))).toEqual({
      ...{ businessDate: inDays(2), currency: 'AFN' },
    });
  });

  test('a room that was closed stays closed when its beginning is heard of late', async () => {
    const inn = await house.inn(0);
    const { tenantId, propertyId, roomTypeId } = inn;
    const door = { roomId: newId('rom'), propertyId, roomTypeId, number: '9' };
    const rest = { floor: null, accessible: false, sellableFrom: today };
    await house.hear(
      tenantId,
      RoomArchived.from({ ...door, closedFrom: inDays(5), reason: 'closed' }, { aggregateVersion: 2 }),
      RoomAdded.from({ ...door, ...rest }, { aggregateVersion: 1 }),
    );
    const room = await house.inside(tenantId, ctx => findRoom(ctx, door.roomId));
    expect(room).toMatchObject({ closedFrom: inDays(5) });
  });
});
