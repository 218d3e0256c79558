import { coreErrors } from '@ghasi/domain-primitives/errors';
import { parseLocalDate } from '@ghasi/domain-primitives/local-date';
import { type AnyRoute, defineRoute, operator } from '@ghasi/http/route';
import { idText, version } from '@melmastoon/catalog/parts';
import { z } from 'zod';
import { changeCalendar, readCalendar } from '../commands/calendar.ts';
import { archivePlan, changePlan, createPlan, publishPlan } from '../commands/plans.ts';
import { calendarChange, calendarDay, calendarWindow, planValues, planView } from '../contract/resources.ts';
import { archiveReasons } from '../contract.ts';
import { errors } from '../errors.ts';
import { findPlans, listPlans } from '../queries/plans.ts';
import { moneyIn } from '../quote-view.ts';

const managers = operator(['owner', 'manager']);
/** Everybody who answers "how much?". */
export const sellers = operator(['owner', 'manager', 'front_desk', 'accountant', 'auditor']);
const params = z.strictObject({ ratePlanId: idText('rpl') });
const unfit = [
  errors.PROPERTY_UNKNOWN,
  errors.ROOM_TYPE_UNKNOWN,
  errors.CURRENCY_DIFFERS,
  errors.POLICY_UNFIT,
  errors.BASE_PLAN_UNFIT,
];
const changing = [coreErrors.NOT_FOUND, errors.PLAN_TRANSITION_REFUSED, errors.BASE_PLAN_IN_USE];

const list = defineRoute({
  method: 'GET',
  path: '/api/v1/rate-plans',
  summary: 'The rate plans of a property',
  auth: sellers,
  query: z.strictObject({ propertyId: idText('pro') }),
  returns: { 200: z.strictObject({ ratePlans: z.array(planView) }) },
  handler: async ({ tx }, { query }) => ({
    status: 200,
    body: { ratePlans: await listPlans(tx, query.propertyId) },
  }),
});

const show = defineRoute({
  method: 'GET',
  path: '/api/v1/rate-plans/:ratePlanId',
  summary: 'One rate plan',
  auth: sellers,
  params,
  returns: { 200: planView },
  errors: [coreErrors.NOT_FOUND],
  handler: async ({ tx }, { params: { ratePlanId } }) => {
    const found = (await findPlans(tx, [ratePlanId])).get(ratePlanId);
    if (found === undefined) throw coreErrors.NOT_FOUND({ entity: 'Rate plan' });
    return { status: 200, body: found };
  },
});

const create = defineRoute({
  method: 'POST',
  path: '/api/v1/rate-plans',
  summary: 'Write a rate plan down; it is sold once it is published',
  auth: managers,
  body: planValues,
  returns: { 201: planView },
  errors: unfit,
  handler: async (ctx, { body }) => ({ status: 201, body: await createPlan(ctx, body) }),
});

const change = defineRoute({
  method: 'PUT',
  path: '/api/v1/rate-plans/:ratePlanId',
  summary: 'Change a rate plan for bookings to come, based on the version',
  auth: managers,
  params,
  body: z.strictObject({ version, values: planValues }),
  returns: { 200: planView },
  errors: [...unfit, ...changing, errors.PROPERTY_FIXED],
  handler: async (ctx, { params: { ratePlanId: id }, body }) => {
    const { value, events } = await changePlan(ctx, { id, ...body });
    return { status: 200, body: value, events };
  },
});

const publish = defineRoute({
  method: 'POST',
  path: '/api/v1/rate-plans/:ratePlanId/publish',
  summary: 'Put a rate plan on sale',
  auth: managers,
  params,
  body: z.strictObject({ version }),
  returns: { 200: planView },
  errors: [...unfit, ...changing],
  handler: async (ctx, { params: { ratePlanId: id }, body }) => {
    const { value, events } = await publishPlan(ctx, { id, ...body });
    return { status: 200, body: value, events };
  },
});

const archive = defineRoute({
  method: 'POST',
  path: '/api/v1/rate-plans/:ratePlanId/archive',
  summary: 'Take a rate plan off sale for good; bookings made on it keep it',
  auth: managers,
  params,
  body: z.strictObject({
    version,
    reason: z.enum(archiveReasons),
    replacedBy: idText('rpl').nullable(),
  }),
  returns: { 200: planView },
  errors: changing,
  handler: async (ctx, { params: { ratePlanId: id }, body }) => {
    const { value, events } = await archivePlan(ctx, { id, ...body });
    return { status: 200, body: value, events };
  },
});

const showCalendar = defineRoute({
  method: 'GET',
  path: '/api/v1/rate-plans/:ratePlanId/calendar',
  summary: 'Prices and restrictions by date, as they are sold on this plan',
  auth: sellers,
  params,
  query: calendarWindow,
  returns: { 200: z.strictObject({ days: z.array(calendarDay) }) },
  errors: [coreErrors.NOT_FOUND],
  handler: async (ctx, { params: { ratePlanId: planId }, query: { from, until, roomTypeId } }) => {
    const window = { from: parseLocalDate(from), until: parseLocalDate(until) };
    const { plan, days } = await readCalendar(ctx, { planId, roomTypeId, window });
    const json = moneyIn(plan.currency);
    const body = { days: days.map(day => ({ ...day, price: day.price === null ? null : json(day.price) })) };
    return { status: 200, body };
  },
});

const writeCalendar = defineRoute({
  method: 'PUT',
  path: '/api/v1/rate-plans/:ratePlanId/calendar',
  summary: 'Change prices or restrictions of a range of dates for some room types',
  auth: managers,
  params,
  body: calendarChange,
  returns: { 200: z.strictObject({ changed: z.int().min(0) }) },
  errors: [
    ...changing,
    errors.PRICE_IS_DERIVED,
    errors.CURRENCY_DIFFERS,
    errors.ROOM_TYPE_NOT_IN_PLAN,
    errors.RESTRICTIONS_ALLOW_NO_STAY,
  ],
  handler: async (ctx, { params: { ratePlanId: planId }, body }) => {
    const { value, events } = await changeCalendar(ctx, { planId, change: body });
    return { status: 200, body: value, events };
  },
});

/** Rate plans and their calendars. */
export const planRoutes: readonly AnyRoute[] = [
  ...[list, show, create, change, publish, archive],
  ...[showCalendar, writeCalendar],
];
