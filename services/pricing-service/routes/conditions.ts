import { coreErrors } from '@ghasi/domain-primitives/errors';
import { type AnyRoute, defineRoute, operator } from '@ghasi/http/route';
import { baseVersion, idText, version } from '@melmastoon/catalog/parts';
import { z } from 'zod';
import { putCharge, putPromo, removeCharge, removePromo } from '../commands/charges.ts';
import { changePolicy, createPolicy, removePolicy } from '../commands/policies.ts';
import {
  chargeValues,
  chargeView,
  codeText,
  newPolicy,
  policyView,
  promoValues,
  promoView,
} from '../contract/resources.ts';
import { errors } from '../errors.ts';
import { listCharges } from '../queries/charges.ts';
import { listPolicies } from '../queries/policies.ts';
import { listPromos } from '../queries/promos.ts';
import { sellers } from './plans.ts';

const managers = operator(['owner', 'manager']);
const ofProperty = z.strictObject({ propertyId: idText('pro') });
const byCode = z.strictObject({ propertyId: idText('pro'), code: codeText });
const byPolicy = z.strictObject({ policyId: idText('pol') });
const basedOn = z.strictObject({ version: z.coerce.number().pipe(version) });
const unfit = [errors.PROPERTY_UNKNOWN, errors.CURRENCY_DIFFERS];

const listOfPolicies = defineRoute({
  method: 'GET',
  path: '/api/v1/booking-policies',
  summary: 'The cancellation, no-show and deposit policies of a property',
  auth: sellers,
  query: ofProperty,
  returns: { 200: z.strictObject({ policies: z.array(policyView) }) },
  handler: async ({ tx }, { query }) => ({
    status: 200,
    body: { policies: await listPolicies(tx, query.propertyId) },
  }),
});

const createOfPolicies = defineRoute({
  method: 'POST',
  path: '/api/v1/booking-policies',
  summary: 'Write a policy down',
  auth: managers,
  body: newPolicy,
  returns: { 201: policyView },
  errors: unfit,
  handler: async (ctx, { body }) => ({ status: 201, body: await createPolicy(ctx, body) }),
});

const changeOfPolicies = defineRoute({
  method: 'PUT',
  path: '/api/v1/booking-policies/:policyId',
  summary: 'Change a policy for bookings to come, based on the version',
  auth: managers,
  params: byPolicy,
  body: z.strictObject({ version, policy: newPolicy }),
  returns: { 200: policyView },
  errors: [...unfit, coreErrors.NOT_FOUND, errors.POLICY_UNFIT],
  handler: async (ctx, { params, body }) => ({
    status: 200,
    body: await changePolicy(ctx, { id: params.policyId, ...body }),
  }),
});

const removeOfPolicies = defineRoute({
  method: 'DELETE',
  path: '/api/v1/booking-policies/:policyId',
  summary: 'Remove a policy that no plan uses',
  auth: managers,
  params: byPolicy,
  query: basedOn,
  returns: { 204: z.undefined() },
  errors: [coreErrors.NOT_FOUND, errors.POLICY_IN_USE],
  handler: async (ctx, { params, query }) => {
    await removePolicy(ctx, { id: params.policyId, ...query });
    return { status: 204 };
  },
});

const listOfTaxes = defineRoute({
  method: 'GET',
  path: '/api/v1/taxes',
  summary: 'The taxes and fees of a property',
  auth: sellers,
  query: ofProperty,
  returns: { 200: z.strictObject({ taxes: z.array(chargeView) }) },
  handler: async ({ tx }, { query }) => ({
    status: 200,
    body: { taxes: await listCharges(tx, query.propertyId) },
  }),
});

const putOfTaxes = defineRoute({
  method: 'PUT',
  path: '/api/v1/taxes/:propertyId/:code',
  summary: 'Write a tax or fee, based on the version; 0 for a new one',
  auth: operator(['owner', 'manager', 'accountant']),
  params: byCode,
  body: z.strictObject({ version: baseVersion, values: chargeValues }),
  returns: { 200: chargeView },
  errors: unfit,
  handler: async (ctx, { params, body }) => ({ status: 200, body: await putCharge(ctx, params, body) }),
});

const removeOfTaxes = defineRoute({
  method: 'DELETE',
  path: '/api/v1/taxes/:propertyId/:code',
  summary: 'End a tax or fee for quotes to come',
  auth: operator(['owner', 'manager', 'accountant']),
  params: byCode,
  query: basedOn,
  returns: { 204: z.undefined() },
  errors: [coreErrors.NOT_FOUND],
  handler: async (ctx, { params, query }) => {
    await removeCharge(ctx, params, query.version);
    return { status: 204 };
  },
});

const listOfPromos = defineRoute({
  method: 'GET',
  path: '/api/v1/promos',
  summary: 'The promo codes of a property and how many bookings use them',
  auth: sellers,
  query: ofProperty,
  returns: { 200: z.strictObject({ promos: z.array(promoView) }) },
  handler: async ({ tx }, { query }) => ({ status: 200, body: { promos: await listPromos(tx, query) } }),
});

const putOfPromos = defineRoute({
  method: 'PUT',
  path: '/api/v1/promos/:propertyId/:code',
  summary: 'Write a promo code, based on the version; 0 for a new one',
  auth: managers,
  params: byCode,
  body: z.strictObject({ version: baseVersion, values: promoValues }),
  returns: { 200: promoView },
  errors: unfit,
  handler: async (ctx, { params, body }) => ({ status: 200, body: await putPromo(ctx, params, body) }),
});

const removeOfPromos = defineRoute({
  method: 'DELETE',
  path: '/api/v1/promos/:propertyId/:code',
  summary: 'End a promo code for quotes to come',
  auth: managers,
  params: byCode,
  query: basedOn,
  returns: { 204: z.undefined() },
  errors: [coreErrors.NOT_FOUND],
  handler: async (ctx, { params, query }) => {
    await removePromo(ctx, params, query.version);
    return { status: 204 };
  },
});

/** What a price is made of besides the calendar. */
export const conditionRoutes: readonly AnyRoute[] = [
  ...[listOfPolicies, createOfPolicies, changeOfPolicies, removeOfPolicies],
  ...[listOfTaxes, putOfTaxes, removeOfTaxes],
  ...[listOfPromos, putOfPromos, removeOfPromos],
];
