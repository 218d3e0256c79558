import { coreErrors } from '@ghasi/domain-primitives/errors';
import { type AnyRoute, defineRoute, operator } from '@ghasi/http/route';
import { idText, version } from '@melmastoon/catalog/parts';
import { z } from 'zod';
import {
  addMembership,
  changeMembership,
  readMembership,
  readMemberships,
  removeMembership,
} from '../commands/memberships.ts';
import { membershipPatch, membershipView, newMembership } from '../contract/resources.ts';
import { errors } from '../errors.ts';

const managers = operator(['owner', 'manager', 'platform_admin']);
const params = z.strictObject({ membershipId: idText('mbr') });
const refusals = [
  errors.OWNER_PROTECTED,
  errors.BEYOND_YOUR_PROPERTIES,
  errors.OWNER_NEEDS_ALL_PROPERTIES,
  errors.ROLE_NOT_HERE,
  errors.TENANT_CLOSED,
];

const list = defineRoute({
  method: 'GET',
  path: '/api/v1/tenant/memberships',
  summary: 'Who works here, a page at a time',
  auth: managers,
  query: z.strictObject({
    after: idText('mbr').optional(),
    limit: z.coerce.number().int().min(1).max(100).default(50),
  }),
  returns: { 200: z.strictObject({ memberships: z.array(membershipView) }) },
  handler: async (ctx, { query }) => ({
    status: 200,
    body: { memberships: await readMemberships(ctx, query) },
  }),
});

const add = defineRoute({
  method: 'POST',
  path: '/api/v1/tenant/memberships',
  summary: 'Make an operator a member',
  auth: managers,
  body: newMembership,
  returns: { 201: membershipView },
  errors: [...refusals, errors.MEMBERSHIP_EXISTS],
  handler: async (ctx, { body }) => {
    const { value, events } = await addMembership(ctx, body);
    return { status: 201, body: value, events };
  },
});

const show = defineRoute({
  method: 'GET',
  path: '/api/v1/tenant/memberships/:membershipId',
  summary: 'One membership',
  auth: managers,
  params,
  returns: { 200: membershipView },
  errors: [coreErrors.NOT_FOUND],
  handler: async (ctx, input) => ({
    status: 200,
    body: await readMembership(ctx, input.params.membershipId),
  }),
});

const change = defineRoute({
  method: 'PATCH',
  path: '/api/v1/tenant/memberships/:membershipId',
  summary: 'Change roles, properties or status of a member, based on the version',
  auth: managers,
  params,
  body: membershipPatch,
  returns: { 200: membershipView },
  errors: [...refusals, errors.LAST_OWNER, coreErrors.NOT_FOUND],
  handler: async (ctx, input) => {
    const change = { id: input.params.membershipId, patch: input.body };
    const { value, events } = await changeMembership(ctx, change);
    return { status: 200, body: value, events };
  },
});

const remove = defineRoute({
  method: 'DELETE',
  path: '/api/v1/tenant/memberships/:membershipId',
  summary: 'End a membership, based on the version',
  auth: managers,
  params,
  query: z.strictObject({ version: z.coerce.number().pipe(version) }),
  returns: { 204: z.undefined() },
  errors: [...refusals, errors.LAST_OWNER, coreErrors.NOT_FOUND],
  handler: async (ctx, input) => {
    await removeMembership(ctx, { id: input.params.membershipId, version: input.query.version });
    return { status: 204 };
  },
});

/** Who may do what in a tenant. */
export const membershipRoutes: readonly AnyRoute[] = [list, add, show, change, remove];
