import { coreErrors } from '@ghasi/domain-primitives/errors';
import type { LocalDate } from '@ghasi/domain-primitives/local-date';
import { type AnyRoute, defineRoute, operator } from '@ghasi/http/route';
import { idText } from '@melmastoon/catalog/parts';
import { z } from 'zod';
import { createPlan, endPlan } from '../commands/plans.ts';
import { newPlan, planView } from '../contract/resources.ts';
import { errors } from '../errors.ts';
import { listPlans } from '../queries/plans.ts';

const list = defineRoute({
  method: 'GET',
  path: '/api/v1/maintenance/plans',
  summary: 'Work that comes round by itself',
  auth: operator(['owner', 'manager', 'maintenance', 'auditor']),
  query: z.strictObject({ propertyId: idText('pro') }),
  returns: { 200: z.strictObject({ plans: z.array(planView) }) },
  handler: async (ctx, { query }) => ({
    status: 200,
    body: { plans: await listPlans(ctx, query.propertyId) },
  }),
});

const create = defineRoute({
  method: 'POST',
  path: '/api/v1/maintenance/plans',
  summary: 'Plan work that comes round, in a room, an area or every room',
  auth: operator(['owner', 'manager', 'maintenance']),
  body: newPlan,
  returns: { 201: planView },
  errors: [coreErrors.NOT_FOUND, errors.HOUSE_UNKNOWN],
  handler: async (ctx, { body }) => ({
    status: 201,
    body: await createPlan(ctx, { ...body, nextDue: body.nextDue as LocalDate }),
  }),
});

const end = defineRoute({
  method: 'POST',
  path: '/api/v1/maintenance/plans/:planId/end',
  summary: 'It comes round no more; tickets that it opened stay',
  auth: operator(['owner', 'manager', 'maintenance']),
  params: z.strictObject({ planId: z.uuid() }),
  returns: { 200: planView },
  errors: [coreErrors.NOT_FOUND, errors.PLAN_ENDED],
  handler: async (ctx, { params: { planId } }) => ({ status: 200, body: await endPlan(ctx, planId) }),
});

/** Work that comes round by itself. */
export const planRoutes: readonly AnyRoute[] = [list, create, end];
