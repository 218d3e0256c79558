import type { ValueOf } from '@ghasi/db/accepted';
import type { Database } from '@ghasi/db/database';
import { type Ctx, tenantTransaction } from '@ghasi/db/tenant-transaction';
import { payloadHash } from '@ghasi/domain-primitives/canonical-json';
import { coreErrors } from '@ghasi/domain-primitives/errors';
import { PLATFORM_TENANT_ID, type TenantId } from '@ghasi/domain-primitives/ids';
import { type AnyRoute, defineRoute, operator } from '@ghasi/http/route';
import { tenantIdText } from '@melmastoon/catalog/parts';
import { z } from 'zod';
import { verifyHost } from '../commands/addresses.ts';
import { createTenant, moveTenant, resizeTenant } from '../commands/tenants.ts';
import { addressesView, type HistoryEntry, hostText, newTenant, tenantView } from '../contract/resources.ts';
import { suspensionReasons } from '../contract.ts';
import { errors } from '../errors.ts';
import { type TenantState, tenantIdFor } from '../model.ts';
import { appendHistory } from '../queries/history.ts';
import { listTenants } from '../queries/tenants.ts';

// The platform's people act on tenants they do not belong to. Each such request is two transactions: one of that
// tenant, under its own row-level security, which may be repeated without a second effect; then one of the platform,
// which keeps the record and the idempotency key. A crash in between is healed by repeating the request.

const admin = operator(['platform_admin']);
const staff = operator(['platform_admin', 'platform_support']);
const params = z.strictObject({ tenantId: tenantIdText });
const moved = [errors.TENANT_TRANSITION_REFUSED, errors.PLATFORM_STAYS, coreErrors.NOT_FOUND];

const openTenant = defineRoute({
  method: 'POST',
  path: '/api/v1/platform/tenants',
  summary: 'Open a tenant with its first owner',
  auth: admin,
  body: newTenant,
  returns: { 201: tenantView },
  errors: [errors.SLUG_TAKEN, errors.SLUG_RESERVED, errors.DEFAULT_LOCALE_NOT_OFFERED],
  transaction: 'late',
  handler: async (ctx, { body }, request) => {
    const key = String(request.headers['idempotency-key']);
    const tenantId = tenantIdFor(payloadHash(['tenant', ctx.principal.id, key]));
    const requestHash = payloadHash(body);
    const tenant = await inTenant(ctx, tenantId, inner => createTenant(inner, { ...body, requestHash }));
    return ctx.commit(async own => {
      await record(own, 'tenant.created', tenantId);
      return { status: 201, body: tenant };
    });
  },
});

const listAll = defineRoute({
  method: 'GET',
  path: '/api/v1/platform/tenants',
  summary: 'List tenants, a page at a time',
  auth: staff,
  query: z.strictObject({
    after: tenantIdText.optional(),
    limit: z.coerce.number().int().min(1).max(100).default(50),
  }),
  returns: { 200: z.strictObject({ tenants: z.array(tenantView) }) },
  handler: async (ctx, { query }) => {
    assertPlatform(ctx);
    return { status: 200, body: { tenants: await listTenants(ctx.tx, query) } };
  },
});

const suspend = defineRoute({
  method: 'POST',
  path: '/api/v1/platform/tenants/:tenantId/suspend',
  summary: 'Suspend a tenant: it sells nothing until it is reactivated',
  auth: admin,
  params,
  body: z.strictObject({ reason: z.enum(suspensionReasons) }),
  returns: { 200: tenantView },
  errors: moved,
  transaction: 'late',
  handler: async (ctx, input) => {
    const to: TenantState = { status: 'suspended', suspensionReason: input.body.reason };
    return change(ctx, { ...input.params, action: 'tenant.suspended', work: inner => moveTenant(inner, to) });
  },
});

const reactivate = defineRoute({
  method: 'POST',
  path: '/api/v1/platform/tenants/:tenantId/reactivate',
  summary: 'End the suspension of a tenant',
  auth: admin,
  params,
  returns: { 200: tenantView },
  errors: moved,
  transaction: 'late',
  handler: async (ctx, input) => {
    const to: TenantState = { status: 'active', suspensionReason: null };
    return change(ctx, {
      ...input.params,
      action: 'tenant.reactivated',
      work: inner => moveTenant(inner, to),
    });
  },
});

const close = defineRoute({
  method: 'POST',
  path: '/api/v1/platform/tenants/:tenantId/close',
  summary: 'Close a tenant for good; its names stay taken',
  auth: admin,
  params,
  returns: { 200: tenantView },
  errors: moved,
  transaction: 'late',
  handler: async (ctx, input) => {
    const to: TenantState = { status: 'closed', suspensionReason: null };
    return change(ctx, { ...input.params, action: 'tenant.closed', work: inner => moveTenant(inner, to) });
  },
});

const resize = defineRoute({
  method: 'PUT',
  path: '/api/v1/platform/tenants/:tenantId/plan',
  summary: 'Note how many rooms a tenant has; its plan class follows',
  auth: admin,
  params,
  body: newTenant.pick({ rooms: true }),
  returns: { 200: tenantView },
  errors: [errors.TENANT_CLOSED, errors.PLATFORM_STAYS, coreErrors.NOT_FOUND],
  transaction: 'late',
  handler: async (ctx, input) => {
    return change(ctx, {
      ...input.params,
      action: 'tenant.resized',
      work: inner => resizeTenant(inner, input.body),
    });
  },
});

const verify = defineRoute({
  method: 'POST',
  path: '/api/v1/platform/tenants/:tenantId/hosts/:host/verify',
  summary: 'Confirm that a host belongs to a tenant; from then on it leads there',
  auth: admin,
  params: params.extend({ host: hostText }),
  returns: { 200: addressesView },
  errors: [errors.HOST_TAKEN, errors.TENANT_CLOSED, coreErrors.NOT_FOUND],
  transaction: 'late',
  handler: async (ctx, { params: { tenantId, host } }) => {
    const work = (inner: Ctx) => verifyHost(inner, { host });
    return change(ctx, { tenantId, action: 'host.verified', subject: host, work });
  },
});

/** What the platform's own people do with tenants. */
export const platformRoutes: readonly AnyRoute[] = [
  openTenant,
  listAll,
  suspend,
  reactivate,
  close,
  resize,
  verify,
];

type Acting = Pick<Ctx, 'tenantId' | 'actor' | 'now' | 'log'> & { db: Database };

type Change<T> = {
  tenantId: TenantId;
  action: HistoryEntry['action'];
  /** What the record is about; default the tenant. */
  subject?: string;
  work(inner: Ctx): Promise<T>;
};

/** Changes another tenant in that tenant's transaction, then notes it in the platform's own. */
async function change<T, R>(
  ctx: Acting & { commit(work: (own: Ctx) => Promise<{ status: 200; body: ValueOf<T> }>): Promise<R> },
  { tenantId, action, subject = tenantId, work }: Change<T>,
): Promise<R> {
  const body: ValueOf<T> = await inTenant(ctx, tenantId, work);
  return ctx.commit(async own => {
    await record(own, action, subject);
    return { status: 200, body };
  });
}

/** Works in another tenant's transaction, under that tenant's row-level security. */
function inTenant<T>(ctx: Acting, tenantId: TenantId, work: (ctx: Ctx) => Promise<T>): Promise<ValueOf<T>> {
  assertPlatform(ctx);
  return tenantTransaction(ctx.db, { tenantId, actor: ctx.actor, now: ctx.now, log: ctx.log }, work);
}

/** A role name alone is not enough: it must be held in the platform's own tenant. */
function assertPlatform({ tenantId }: Pick<Ctx, 'tenantId'>): void {
  if (tenantId !== PLATFORM_TENANT_ID) throw coreErrors.FORBIDDEN();
}

function record(own: Ctx, action: HistoryEntry['action'], subject: string): Promise<void> {
  return appendHistory(own, { action, subject });
}
