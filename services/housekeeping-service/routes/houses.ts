import type { Ctx } from '@ghasi/db/tenant-transaction';
import { coreErrors } from '@ghasi/domain-primitives/errors';
import type { Id } from '@ghasi/domain-primitives/ids';
import { type AnyRoute, defineRoute, operator } from '@ghasi/http/route';
import { idText } from '@melmastoon/catalog/parts';
import { z } from 'zod';
import { habits, houseView, plan } from '../contract/resources.ts';
import { taskKinds } from '../contract.ts';
import { allPlans, findHouse, saveHabits, savePlan } from '../queries/houses.ts';

const params = z.strictObject({ propertyId: idText('pro') });
const managers = operator(['owner', 'manager']);

async function viewHouse(ctx: Ctx, propertyId: Id<'pro'>): Promise<z.input<typeof houseView>> {
  const house = await findHouse(ctx, propertyId);
  const plans = await allPlans(ctx, propertyId);
  return {
    propertyId,
    ...house,
    plans: Object.fromEntries(
      taskKinds.map(kind => [kind, { ...plans[kind], items: [...plans[kind].items] }]),
    ) as z.input<typeof houseView>['plans'],
  };
}

/** A house that property-service never told this tenant of does not exist here. */
async function assertKnown(ctx: Ctx, propertyId: Id<'pro'>): Promise<void> {
  if ((await findHouse(ctx, propertyId)).businessDate === null)
    throw coreErrors.NOT_FOUND({ entity: 'Property' });
}

const show = defineRoute({
  method: 'GET',
  path: '/api/v1/housekeeping/houses/:propertyId',
  summary: 'How a house wants its rooms kept',
  auth: operator(['owner', 'manager', 'front_desk', 'housekeeping', 'auditor']),
  params,
  returns: { 200: houseView },
  errors: [coreErrors.NOT_FOUND],
  async handler(ctx, { params: { propertyId } }) {
    await assertKnown(ctx, propertyId);
    return { status: 200, body: await viewHouse(ctx, propertyId) };
  },
});

const change = defineRoute({
  method: 'PUT',
  path: '/api/v1/housekeeping/houses/:propertyId',
  summary: 'Decide about daily service and deep cleans',
  auth: managers,
  params,
  body: habits,
  returns: { 200: houseView },
  errors: [coreErrors.NOT_FOUND],
  async handler(ctx, { params: { propertyId }, body }) {
    await assertKnown(ctx, propertyId);
    saveHabits(ctx, propertyId, body);
    return { status: 200, body: await viewHouse(ctx, propertyId) };
  },
});

const changePlan = defineRoute({
  method: 'PUT',
  path: '/api/v1/housekeeping/houses/:propertyId/plans/:kind',
  summary: 'Write down how a kind of work is done; tasks from now on follow it',
  auth: managers,
  params: z.strictObject({ propertyId: idText('pro'), kind: z.enum(taskKinds) }),
  body: plan,
  returns: { 200: houseView },
  errors: [coreErrors.NOT_FOUND],
  async handler(ctx, { params: { propertyId, kind }, body }) {
    await assertKnown(ctx, propertyId);
    savePlan(ctx, { propertyId, kind, plan: body });
    return { status: 200, body: await viewHouse(ctx, propertyId) };
  },
});

/** How a house wants its rooms kept. */
export const houseRoutes: readonly AnyRoute[] = [show, change, changePlan];
