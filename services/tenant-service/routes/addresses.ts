import { coreErrors } from '@ghasi/domain-primitives/errors';
import { type AnyRoute, defineRoute, operator } from '@ghasi/http/route';
import { z } from 'zod';
import { addHost, claimSlug, readAddresses, removeHost } from '../commands/addresses.ts';
import { addressesView, hostText, slugText } from '../contract/resources.ts';
import { errors } from '../errors.ts';

const show = defineRoute({
  method: 'GET',
  path: '/api/v1/tenant/addresses',
  summary: 'The slugs and hosts one can reach the tenant by',
  auth: operator(['owner', 'manager']),
  returns: { 200: addressesView },
  handler: async ctx => ({ status: 200, body: await readAddresses(ctx) }),
});

const claim = defineRoute({
  method: 'POST',
  path: '/api/v1/tenant/slugs',
  summary: 'Take a slug into use; the one before it redirects',
  auth: operator(['owner']),
  body: z.strictObject({ slug: slugText }),
  returns: { 200: addressesView },
  errors: [errors.SLUG_TAKEN, errors.SLUG_RESERVED, errors.SLUG_LIMIT, errors.TENANT_CLOSED],
  handler: async (ctx, { body }) => ({ status: 200, body: await claimSlug(ctx, body) }),
});

const add = defineRoute({
  method: 'POST',
  path: '/api/v1/tenant/hosts',
  summary: 'Write down a host of the tenant; it counts once the platform has verified it',
  auth: operator(['owner']),
  body: z.strictObject({ host: hostText }),
  returns: { 200: addressesView },
  errors: [errors.HOST_LIMIT, errors.TENANT_CLOSED],
  handler: async (ctx, { body }) => ({ status: 200, body: await addHost(ctx, body) }),
});

const remove = defineRoute({
  method: 'DELETE',
  path: '/api/v1/tenant/hosts/:host',
  summary: 'Give a host up',
  auth: operator(['owner']),
  params: z.strictObject({ host: hostText }),
  returns: { 204: z.undefined() },
  errors: [coreErrors.NOT_FOUND, errors.TENANT_CLOSED],
  handler: async (ctx, { params }) => {
    await removeHost(ctx, params);
    return { status: 204 };
  },
});

/** The names a tenant answers to. */
export const addressRoutes: readonly AnyRoute[] = [show, claim, add, remove];
