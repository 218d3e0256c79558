import { answer } from '@ghasi/backbone/question';
import { type Actor, tenantRead } from '@ghasi/db/tenant-transaction';
import { propertyOf } from './contract.ts';
import { findProperty } from './queries/properties.ts';

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
