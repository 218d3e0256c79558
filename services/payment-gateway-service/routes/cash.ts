import { coreErrors } from '@ghasi/domain-primitives/errors';
import { fromJson } from '@ghasi/domain-primitives/money';
import type { Principal } from '@ghasi/http/principal';
import { type AnyRoute, defineRoute, operator } from '@ghasi/http/route';
import { idText } from '@melmastoon/catalog/parts';
import { z } from 'zod';
import type { Movement } from '../cash.ts';
import { payOutRefund, takeCash } from '../commands/cash.ts';
import { closeDrawer, countDrawer, openDrawer, readDrawer } from '../commands/drawers.ts';
import {
  blindCount,
  cashHandling,
  drawerClosing,
  drawerView,
  newDrawer,
  paymentView,
  refundView,
} from '../contract/resources.ts';
import { errors } from '../errors.ts';
import { found } from '../model.ts';
import { findRefund } from '../queries/refunds.ts';
import { viewDrawer, viewPayment, viewRefund } from '../views.ts';

const desk = ['owner', 'manager', 'front_desk'];
const ofShift = z.strictObject({ shiftId: idText('shf') });
const drawerErrors = [
  errors.SHIFT_UNKNOWN,
  errors.NOT_YOUR_SHIFT,
  errors.DRAWER_NOT_OPEN,
  errors.DRAWER_OF_ANOTHER_PROPERTY,
];
const cashErrors = [
  ...drawerErrors,
  coreErrors.NOT_FOUND,
  errors.CASH_NOT_BALANCED,
  errors.CASH_AMOUNT_DIFFERS,
  errors.CASH_STEP,
  errors.CURRENCY_DIFFERS,
];

const isManager = ({ roles }: Principal) => roles.some(role => role === 'owner' || role === 'manager');
const movements = (drawer: z.output<typeof cashHandling>['drawer']): Movement[] =>
  drawer.map(({ direction, cash, value }) => ({
    direction,
    cash: fromJson(cash),
    value: fromJson(value),
  }));

const open = defineRoute({
  method: 'POST',
  path: '/api/v1/drawers',
  summary: 'Open the drawer of a shift with its float',
  auth: operator(desk),
  body: newDrawer,
  returns: { 201: drawerView },
  errors: [...drawerErrors, errors.DRAWER_EXISTS, errors.CASH_STEP],
  handler: async (ctx, { body: { shiftId, float } }) => ({
    status: 201,
    body: viewDrawer(
      await openDrawer(ctx, { shiftId, isManager: isManager(ctx.principal), float: float.map(fromJson) }),
    ),
  }),
});

const show = defineRoute({
  method: 'GET',
  path: '/api/v1/drawers/:shiftId',
  summary: 'A drawer; what it should hold is shown only once it was counted',
  auth: operator([...desk, 'accountant', 'auditor']),
  params: ofShift,
  returns: { 200: drawerView },
  errors: [coreErrors.NOT_FOUND],
  handler: async (ctx, { params }) => ({
    status: 200,
    body: viewDrawer(await readDrawer(ctx, params.shiftId)),
  }),
});

const count = defineRoute({
  method: 'POST',
  path: '/api/v1/drawers/:shiftId/count',
  summary: 'Count a drawer blind, every currency; the answer says what was expected',
  auth: operator(desk),
  params: ofShift,
  body: blindCount,
  returns: { 200: drawerView },
  errors: [...drawerErrors, coreErrors.NOT_FOUND, errors.DRAWER_COUNTED, errors.CURRENCY_NOT_COUNTED],
  handler: async (ctx, { params: { shiftId }, body }) => ({
    status: 200,
    body: viewDrawer(
      await countDrawer(ctx, {
        shiftId,
        isManager: isManager(ctx.principal),
        counts: body.counts.map(fromJson),
      }),
    ),
  }),
});

const close = defineRoute({
  method: 'POST',
  path: '/api/v1/drawers/:shiftId/close',
  summary: 'Close a counted drawer; every difference is posted with its reason',
  auth: operator(desk),
  params: ofShift,
  body: drawerClosing,
  returns: { 200: drawerView },
  errors: [...drawerErrors, coreErrors.NOT_FOUND, errors.DRAWER_NOT_COUNTED, errors.VARIANCE_NEEDS_REASON],
  handler: async (ctx, { params: { shiftId }, body: { reasons } }) => ({
    status: 200,
    body: viewDrawer(await closeDrawer(ctx, { shiftId, isManager: isManager(ctx.principal), reasons })),
  }),
});

const take = defineRoute({
  method: 'POST',
  path: '/api/v1/payments/:paymentId/take-cash',
  summary: 'Take the notes of a guest, in one currency or several',
  auth: operator(desk),
  params: z.strictObject({ paymentId: idText('pay') }),
  body: cashHandling,
  returns: { 200: paymentView },
  errors: [
    ...cashErrors,
    errors.NOT_A_CASH_PAYMENT,
    errors.INTENT_TRANSITION_REFUSED,
    errors.BOOKING_ENDED,
    errors.FOLIO_NOT_OPEN,
  ],
  async handler(ctx, { params: { paymentId }, body: { shiftId, drawer } }) {
    const handling = { shiftId, isManager: isManager(ctx.principal), drawer: movements(drawer) };
    const { value, events } = await takeCash(ctx, { paymentId, ...handling });
    return { status: 200, body: viewPayment(value), events };
  },
});

const payOut = defineRoute({
  method: 'POST',
  path: '/api/v1/refunds/:refundId/pay-out',
  summary: 'Hand out the notes of a cash refund',
  auth: operator(desk),
  params: z.strictObject({ refundId: idText('rfd') }),
  body: cashHandling,
  returns: { 200: refundView },
  errors: [...cashErrors, errors.REFUND_NOT_AT_DESK],
  async handler(ctx, { params: { refundId }, body: { shiftId, drawer } }) {
    const { paymentId } = found(await findRefund(ctx.tx, refundId), 'Refund');
    const handling = { shiftId, isManager: isManager(ctx.principal), drawer: movements(drawer) };
    const { value, events } = await payOutRefund(ctx, { refundId, paymentId, ...handling });
    return { status: 200, body: viewRefund(value), events };
  },
});

/** Drawers, and notes over the desk. */
export const cashRoutes: readonly AnyRoute[] = [open, show, count, close, take, payOut];
