import { answer } from '@ghasi/backbone/question';
import { type Actor, tenantRead } from '@ghasi/db/tenant-transaction';
import { housesOf, sizeOf } from './contract/resources.ts';
import { propertyOf } from './contract.ts';
import { findProperty, listProperties } from './queries/properties.ts';
import { listRoomTypes } from './queries/room-type.ts';
import { countRooms } from './queries/rooms.ts';

const self: Actor = { type: 'service', id: 'property-service' };

/** Answers from PostgreSQL every time: after a day close the next posting is of the new hotel day. */
export const propertyOfAnswer = answer(propertyOf, ({ db, log }, { tenantId, propertyId }) =>
  tenantRead(db, { tenantId, actor: self, log }, async ({ tx }) => {
    const found = await findProperty(tx, propertyId);
    if (found === undefined) return null;
    const { name, zone, currency, locales, checkInFrom, checkOutUntil, businessDate, houseRules, version } =
      found;
    return {
      propertyId,
      name,
      zone,
      currency,
      locales,
      checkInFrom,
      checkOutUntil,
      businessDate,
      houseRules,
      version,
    };
  }),
);

/** Houses and what can be booked in them, for the site; a type that was never published is not there yet. */
export const housesOfAnswer = answer(housesOf, ({ db, log }, { tenantId }) =>
  tenantRead(db, { tenantId, actor: self, log }, async ({ tx }) => {
    const houses = await listProperties(tx, { limit: 50 });
    return {
      houses: await Promise.all(
        houses.map(async ({ id, name, city, country, position, zone, currency, ...house }) => ({
          ...{ propertyId: id, name, city, country, position, zone, currency },
          ...{ checkInFrom: house.checkInFrom, checkOutUntil: house.checkOutUntil },
          amenities: house.amenities,
          roomTypes: (await listRoomTypes(tx, { propertyId: id, limit: 200 })).flatMap(
            ({ id: roomTypeId, code, published }) =>
              published === null ? [] : [{ roomTypeId, code, spec: published }],
          ),
        })),
      ),
    };
  }),
);

/** Counted every time; whoever labels metrics with it remembers the answer for an hour. */
export const sizeOfAnswer = answer(sizeOf, ({ db, log }, { tenantId }) =>
  tenantRead(db, { tenantId, actor: self, log }, async ({ tx }) => ({ rooms: await countRooms(tx) })),
);
