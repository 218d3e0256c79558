import type { Uuid } from '@ghasi/domain-primitives/uuid';
import { type AnyRoute, defineRoute, open, operator } from '@ghasi/http/route';
import { tenantIdText } from '@melmastoon/catalog/parts';
import { z } from 'zod';
import { changeSettings, readProfile } from '../commands/tenants.ts';
import { historyEntry, publicTenant, settingsPatch, tenantProfile } from '../contract/resources.ts';
import { hotelRoles, platformRoles } from '../contract.ts';
import { errors } from '../errors.ts';
import { listHistory } from '../queries/history.ts';

const show = defineRoute({
  method: 'GET',
  path: '/api/v1/tenant',
  summary: 'The tenant one works for, with its settings',
  auth: operator([...hotelRoles, ...platformRoles]),
  returns: { 200: tenantProfile },
  handler: async ctx => ({ status: 200, body: await readProfile(ctx) }),
});

const change = defineRoute({
  method: 'PATCH',
  path: '/api/v1/tenant',
  summary: 'Change some settings, based on their version',
  auth: operator(['owner', 'manager', 'platform_admin']),
  body: settingsPatch,
  returns: { 200: tenantProfile },
  errors: [errors.DEFAULT_LOCALE_NOT_OFFERED, errors.TENANT_CLOSED],
  handler: async (ctx, { body }) => {
    const { value, events } = await changeSettings(ctx, body);
    return { status: 200, body: value, events };
  },
});

const past = defineRoute({
  method: 'GET',
  path: '/api/v1/tenant/history',
  summary: 'Who changed settings, names and rights, newest first',
  auth: operator(['owner', 'manager', 'auditor', 'platform_admin']),
  query: z.strictObject({
    before: tenantIdText.optional(),
    limit: z.coerce.number().int().min(1).max(100).default(50),
  }),
  returns: { 200: z.strictObject({ entries: z.array(historyEntry) }) },
  handler: async (ctx, { query }) => {
    const page = { before: query.before as Uuid | undefined, limit: query.limit };
    return { status: 200, body: { entries: await listHistory(ctx.tx, page) } };
  },
});

const showPublic = defineRoute({
  method: 'GET',
  path: '/api/v1/tenant/public',
  summary: 'What everybody may know of the tenant that the host or the X-Tenant-Slug header names',
  auth: open(),
  returns: { 200: publicTenant },
  handler: async ctx => {
    const { tenant, settings } = await readProfile(ctx);
    const { defaultLocale, locales, currency, zone } = settings;
    return {
      status: 200,
      body: { slug: tenant.slug, name: tenant.name, defaultLocale, locales, currency, zone },
    };
  },
});

/** What a tenant is and was. */
export const tenantRoutes: readonly AnyRoute[] = [show, change, past, showPublic];
