import { coreErrors } from '@ghasi/domain-primitives/errors';
import type { Id } from '@ghasi/domain-primitives/ids';
import type { Principal } from '@ghasi/http/principal';
import { type AnyRoute, defineRoute, operator } from '@ghasi/http/route';
import { idText, line, tenantIdText } from '@melmastoon/catalog/parts';
import { z } from 'zod';
import {
  assertMayManage,
  disableOperator,
  enableOperator,
  inviteFirstOperator,
  inviteOperator,
  issueLink,
  type Link,
  operatorView,
  removeAllFactors,
} from '../commands/operators.ts';
import { endSessions } from '../commands/sessions.ts';
import { consume } from '../commands/step-up.ts';
import { makeCursor, readCursor } from '../cursor.ts';
import { errors } from '../errors.ts';
import { type Iam, inTenant } from '../iam.ts';
import { linkPurposes } from '../model.ts';
import { listOperators } from '../queries/operators.ts';
import { email, instant, managers, meOf } from './shapes.ts';

const params = z.strictObject({ operatorId: idText('usr') });
const view = z.strictObject({
  id: z.string(),
  email: z.string(),
  name: z.string(),
  status: z.string(),
  createdAt: instant,
});
const linkBody = z.strictObject({
  token: z.string(),
  purpose: z.enum(linkPurposes),
  expiresAt: instant,
});
const invited = z.strictObject({ operatorId: z.string(), link: linkBody });
const person = { email, name: line(200) };
const secretReply = {
  none: 'the reply carries a one-time link; the unique e-mail keeps a repeat from adding anybody',
};
const linkOf = ({ expiresAt, ...link }: Link) => ({ ...link, expiresAt: expiresAt.toISOString() });

/** The action to confirm before somebody else's factors are removed; `resource` is that operator. */
export const RESET_ACTION = 'iam.factors.reset';

/** Managing the accounts of a tenant. */
export function operatorRoutes(iam: Iam): AnyRoute[] {
  const mayManage = (
    ctx: { tenantId: Principal['tenantId']; principal: Principal },
    target: { operatorId: Id<'usr'>; takeover?: boolean },
  ) => assertMayManage(iam, { tenantId: ctx.tenantId, me: meOf(ctx.principal) }, target);

  return [
    defineRoute({
      method: 'GET',
      path: '/api/v1/operators',
      summary: 'The accounts of this hotel group, a page at a time',
      auth: managers,
      query: z.strictObject({
        cursor: z.string().max(300).optional(),
        limit: z.coerce.number().int().min(1).max(100).default(50),
      }),
      returns: { 200: z.strictObject({ operators: z.array(view), next: z.string().nullable() }) },
      errors: [errors.CURSOR_REFUSED],
      async handler(ctx, { query }) {
        const list = [ctx.tenantId, 'operators'];
        const { cursor, limit } = query;
        const after =
          cursor === undefined ? undefined : readCursor(iam.keys, list, { cursor, prefix: 'usr' });
        const found = await listOperators(ctx, { after, limit: limit + 1 });
        const page = found.slice(0, limit);
        const last = found.length > limit ? page.at(-1) : undefined;
        const next = last === undefined ? null : makeCursor(iam.keys, list, last.id);
        return { status: 200, body: { operators: page.map(operatorView), next } };
      },
    }),

    defineRoute({
      method: 'POST',
      path: '/api/v1/operators',
      summary: 'Add an account; its owner sets the password with the link. Give it roles in tenant-service',
      auth: managers,
      body: z.strictObject(person),
      returns: { 201: invited },
      errors: [errors.EMAIL_TAKEN],
      idempotency: secretReply,
      async handler(ctx, { body }) {
        const { value, events } = await inviteOperator(ctx, body);
        return { status: 201, body: { ...value, link: linkOf(value.link) }, events };
      },
    }),

    defineRoute({
      method: 'POST',
      path: '/api/v1/operators/:operatorId/link',
      summary: 'A new one-time link: an invitation, or a password reset once the account is in use',
      auth: managers,
      params,
      returns: { 201: linkBody },
      errors: [coreErrors.NOT_FOUND, errors.OPERATOR_STATUS, errors.OPERATOR_IS_YOU],
      idempotency: { none: 'the reply carries a one-time link; a repeat replaces it' },
      transaction: 'late',
      async handler(ctx, { params: { operatorId } }) {
        await mayManage(ctx, { operatorId, takeover: true });
        return ctx.commit(async tx => ({ status: 201, body: linkOf(await issueLink(tx, operatorId)) }));
      },
    }),

    defineRoute({
      method: 'POST',
      path: '/api/v1/operators/:operatorId/disable',
      summary: 'Close an account and end its sessions; an owner must first hand the role over',
      auth: managers,
      params,
      returns: { 204: z.undefined() },
      errors: [
        coreErrors.NOT_FOUND,
        errors.OPERATOR_STATUS,
        errors.OPERATOR_IS_YOU,
        errors.OPERATOR_IS_OWNER,
      ],
      transaction: 'late',
      async handler(ctx, { params: { operatorId } }) {
        const { isTop } = await mayManage(ctx, { operatorId });
        // tenant-service keeps the last owner an owner; a closed account must not hollow that out (safety rule 54).
        if (isTop) throw errors.OPERATOR_IS_OWNER();
        return ctx.commit(async tx => {
          const { events } = await disableOperator(tx, operatorId);
          return { status: 204, events };
        });
      },
    }),

    defineRoute({
      method: 'POST',
      path: '/api/v1/operators/:operatorId/enable',
      summary: 'Open a closed account again',
      auth: managers,
      params,
      returns: { 204: z.undefined() },
      errors: [coreErrors.NOT_FOUND, errors.OPERATOR_STATUS, errors.OPERATOR_IS_YOU],
      transaction: 'late',
      async handler(ctx, { params: { operatorId } }) {
        await mayManage(ctx, { operatorId });
        return ctx.commit(async tx => {
          await enableOperator(tx, operatorId);
          return { status: 204 };
        });
      },
    }),

    defineRoute({
      method: 'DELETE',
      path: '/api/v1/operators/:operatorId/sessions',
      summary: 'Sign an operator out everywhere',
      auth: managers,
      params,
      returns: { 200: z.strictObject({ ended: z.int() }) },
      errors: [coreErrors.NOT_FOUND, errors.OPERATOR_IS_YOU],
      idempotency: { none: 'ending what has ended changes nothing' },
      transaction: 'late',
      async handler(ctx, { params: { operatorId } }) {
        await mayManage(ctx, { operatorId });
        return ctx.commit(async tx => {
          const { value: ended, events } = await endSessions(tx, { operatorId }, 'revoked');
          return { status: 200, body: { ended }, events };
        });
      },
    }),

    defineRoute({
      method: 'DELETE',
      path: '/api/v1/operators/:operatorId/factors',
      summary: 'Remove all factors of somebody who lost them; confirm with your own first',
      auth: operator(['owner', 'platform_admin'], { stepUp: RESET_ACTION }),
      params,
      returns: { 204: z.undefined() },
      errors: [coreErrors.NOT_FOUND, errors.ATTESTATION_REFUSED, errors.OPERATOR_IS_YOU],
      idempotency: { none: 'the confirmation works once' },
      transaction: 'late',
      async handler(ctx, { params: { operatorId } }) {
        await mayManage(ctx, { operatorId });
        const { sessionId } = meOf(ctx.principal);
        const attestationId = ctx.principal.attestation?.id as Id<'mfa'>;
        return ctx.commit(async tx => {
          const confirmed = { action: RESET_ACTION, resource: operatorId };
          if (!(await consume(tx, { attestationId, sessionId, confirmed })))
            throw errors.ATTESTATION_REFUSED();
          const { events } = await removeAllFactors(tx, operatorId);
          return { status: 204, events };
        });
      },
    }),

    defineRoute({
      method: 'POST',
      path: '/api/v1/platform/tenants/:tenantId/first-operator',
      summary: 'Add the first account of a new tenant; its own people add the others',
      auth: operator(['platform_admin']),
      params: z.strictObject({ tenantId: tenantIdText }),
      body: z.strictObject({ ...person, operatorId: idText('usr') }),
      returns: { 201: invited },
      errors: [errors.TENANT_HAS_OPERATORS],
      idempotency: secretReply,
      transaction: 'none',
      async handler(ctx, { params: { tenantId }, body }) {
        const { operatorId, link } = await inTenant({ ...ctx, tenantId }, tx =>
          inviteFirstOperator(tx, body),
        );
        return { status: 201, body: { operatorId, link: linkOf(link) } };
      },
    }),
  ];
}
