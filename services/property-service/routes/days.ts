import type { Ask } from '@ghasi/backbone/question';
import { tenantRead } from '@ghasi/db/tenant-transaction';
import { coreErrors } from '@ghasi/domain-primitives/errors';
import { type AnyRoute, defineRoute, operator } from '@ghasi/http/route';
import { idText } from '@melmastoon/catalog/parts';
import { z } from 'zod';
import { assertClosable, closeDay } from '../commands/close-day.ts';
import { dayCloseView, hotelDay } from '../contract/resources.ts';
import type { DayCheck } from '../contract.ts';
import { errors } from '../errors.ts';
import { findDayClose, listDayCloses, readProperty } from '../queries/properties.ts';

const params = z.strictObject({ propertyId: idText('pro') });

const list = defineRoute({
  method: 'GET',
  path: '/api/v1/properties/:propertyId/day-closes',
  summary: 'Hotel days that were closed, latest first',
  auth: operator(['owner', 'manager', 'front_desk', 'accountant', 'auditor']),
  params,
  query: z.strictObject({
    before: hotelDay.optional(),
    limit: z.coerce.number().int().min(1).max(100).default(31),
  }),
  returns: { 200: z.strictObject({ days: z.array(dayCloseView) }) },
  errors: [coreErrors.NOT_FOUND],
  handler: async (ctx, { params: { propertyId }, query }) => {
    await readProperty(ctx.tx, propertyId);
    return { status: 200, body: { days: await listDayCloses(ctx.tx, { propertyId, ...query }) } };
  },
});

/** Who is asked before a hotel day is closed. */
export type DayGate = { ask: Ask; dayChecks: readonly DayCheck[] };

/** The routes of hotel days. Others are asked before the transaction, never inside it. */
export function dayRoutes({ ask, dayChecks }: DayGate): readonly AnyRoute[] {
  const close = defineRoute({
    method: 'POST',
    path: '/api/v1/properties/:propertyId/day-close',
    summary: 'Close the hotel day and begin the next; a day that is closed is answered as it was closed',
    auth: operator(['owner', 'manager', 'front_desk']),
    params,
    body: z.strictObject({ businessDate: hotelDay }),
    returns: { 200: dayCloseView },
    errors: [
      errors.DAY_BLOCKED,
      errors.DAY_STILL_RUNS,
      errors.DAY_NOT_BEGUN,
      errors.DAY_BEFORE_OPENING,
      coreErrors.NOT_FOUND,
    ],
    transaction: 'late',
    handler: async (ctx, { params: { propertyId }, body: { businessDate } }) => {
      const isOpen = await tenantRead(ctx.db, ctx, async ({ tx }) => {
        const property = await readProperty(tx, propertyId);
        if (await findDayClose(tx, { propertyId, closedDate: businessDate })) return false;
        assertClosable(property, businessDate, ctx.now);
        return true;
      });
      const asked = { tenantId: ctx.tenantId, propertyId, businessDate };
      const answers = isOpen ? await Promise.all(dayChecks.map(check => ask(check, asked))) : [];
      const open = answers.flatMap(answer => answer.open);
      return ctx.commit(async own => {
        const { value, events } = await closeDay(own, { propertyId, businessDate, open });
        return { status: 200, body: value, events };
      });
    },
  });
  return [list, close];
}
