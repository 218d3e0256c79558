import { coreErrors } from '@ghasi/domain-primitives/errors';
import { type AnyRoute, defineRoute, operator } from '@ghasi/http/route';
import { idText } from '@melmastoon/catalog/parts';
import { hotelRoles } from '@melmastoon/tenant-service/contract';
import { z } from 'zod';
import { changeAmenities, changeProperty, createProperty, shown } from '../commands/properties.ts';
import { amenityCatalogue, amenityCodes } from '../contract/amenities.ts';
import {
  amenityChange,
  amenityView,
  newProperty,
  propertyPatch,
  propertyView,
} from '../contract/resources.ts';
import { listProperties, readProperty } from '../queries/properties.ts';

const staff = operator([...hotelRoles]);
const managers = operator(['owner', 'manager']);
const params = z.strictObject({ propertyId: idText('pro') });

const list = defineRoute({
  method: 'GET',
  path: '/api/v1/properties',
  summary: 'The houses of the group, a page at a time',
  auth: staff,
  query: z.strictObject({
    after: idText('pro').optional(),
    limit: z.coerce.number().int().min(1).max(100).default(50),
  }),
  returns: { 200: z.strictObject({ properties: z.array(propertyView) }) },
  handler: async (ctx, { query }) => {
    const found = await listProperties(ctx.tx, query);
    return { status: 200, body: { properties: found.map(shown) } };
  },
});

const create = defineRoute({
  method: 'POST',
  path: '/api/v1/properties',
  summary: 'Open a house; its zone and currency are for good',
  auth: operator(['owner']),
  body: newProperty,
  returns: { 201: propertyView },
  handler: async (ctx, { body }) => {
    const { value, events } = await createProperty(ctx, body);
    return { status: 201, body: value, events };
  },
});

const show = defineRoute({
  method: 'GET',
  path: '/api/v1/properties/:propertyId',
  summary: 'One house, with its hotel day and rules',
  auth: staff,
  params,
  returns: { 200: propertyView },
  errors: [coreErrors.NOT_FOUND],
  handler: async (ctx, input) => ({
    status: 200,
    body: shown(await readProperty(ctx.tx, input.params.propertyId)),
  }),
});

const change = defineRoute({
  method: 'PATCH',
  path: '/api/v1/properties/:propertyId',
  summary: 'Change names, hours, languages or rules of a house, based on the version',
  auth: managers,
  params,
  body: propertyPatch,
  returns: { 200: propertyView },
  errors: [coreErrors.NOT_FOUND, coreErrors.VERSION_CONFLICT],
  handler: async (ctx, input) => ({
    status: 200,
    body: await changeProperty(ctx, { id: input.params.propertyId, patch: input.body }),
  }),
});

const offer = defineRoute({
  method: 'PUT',
  path: '/api/v1/properties/:propertyId/amenities',
  summary: 'Say everything the house offers, based on the version',
  auth: managers,
  params,
  body: amenityChange,
  returns: { 200: propertyView },
  errors: [coreErrors.NOT_FOUND, coreErrors.VERSION_CONFLICT],
  handler: async (ctx, input) => {
    const { value, events } = await changeAmenities(ctx, { id: input.params.propertyId, ...input.body });
    return { status: 200, body: value, events };
  },
});

const amenities = defineRoute({
  method: 'GET',
  path: '/api/v1/amenities',
  summary: 'Every amenity a house or room can have, with its names',
  auth: staff,
  returns: { 200: z.strictObject({ amenities: z.array(amenityView) }) },
  handler: async () => ({ status: 200, body: { amenities: amenityCodes.map(described) } }),
});

function described(code: (typeof amenityCodes)[number]) {
  const { of, ...names } = amenityCatalogue[code];
  const name = (['en', 'ps', 'fa-AF'] as const).map(locale => ({ locale, text: names[locale] }));
  return { code, of, name };
}

/** What a house is and offers. */
export const propertyRoutes: readonly AnyRoute[] = [list, create, show, change, offer, amenities];
