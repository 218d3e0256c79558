import { type Accepted, accepted } from '@ghasi/db/accepted';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { type Id, isId } from '@ghasi/domain-primitives/ids';
import type { z } from 'zod';
import type { DayCloseView } from '../contract/resources.ts';
import { BusinessDateAdvanced, type dayCheck } from '../contract.ts';
import { errors } from '../errors.ts';
import { dayAfter, dayRefusal, settle } from '../model.ts';
import {
  findDayClose,
  insertDayClose,
  lockProperty,
  type Property,
  saveProperty,
} from '../queries/properties.ts';

/** The day to close, and what stood open of it when the others were asked. */
export type CloseDay = {
  propertyId: Id<'pro'>;
  businessDate: string;
  open: z.output<typeof dayCheck.output>['open'];
};

/**
 * Closes the hotel day and begins the next one, in one transaction under the house's lock: a crash leaves the day
 * open as it was, and a day that is closed is answered as it was closed, with nothing new to tell (R2).
 */
export async function closeDay(
  ctx: Ctx,
  { propertyId, businessDate: closedDate, open }: CloseDay,
): Promise<Accepted<DayCloseView>> {
  const property = await lockProperty(ctx.tx, propertyId);
  const earlier = await findDayClose(ctx.tx, { propertyId, closedDate });
  if (earlier) return accepted(earlier, []);
  assertClosable(property, closedDate, ctx.now);
  const { resolved, blocking } = settle(open, property.houseRules);
  if (blocking.length > 0) throw blocked(blocking);

  const businessDate = dayAfter(closedDate);
  const closedBy = isId('usr', ctx.actor.id) ? ctx.actor.id : null;
  const close = { propertyId, closedDate, businessDate, closedBy, resolved };
  const aggregateVersion = await saveProperty(ctx, { ...property, businessDate });
  await insertDayClose(ctx, { ...close, closedAt: ctx.now.toISOString() });
  return accepted({ ...close, closedAt: ctx.now.toISOString() }, [
    BusinessDateAdvanced.from(close, { aggregateVersion }),
  ]);
}

/** Refuses a day that cannot be closed now, with its own code for each reason. */
export function assertClosable(property: Property, asked: string, now: Date): void {
  const { businessDate, zone, houseRules } = property;
  const refusal = dayRefusal(property, asked, now);
  if (refusal === 'DAY_BEFORE_OPENING') throw errors.DAY_BEFORE_OPENING({ asked });
  if (refusal === 'DAY_NOT_BEGUN') throw errors.DAY_NOT_BEGUN({ asked, businessDate });
  if (refusal === 'DAY_STILL_RUNS')
    throw errors.DAY_STILL_RUNS({ asked, zone, from: houseRules.dayCloseFrom });
}

/** Names what blocks, as many as a person can read. */
function blocked(matters: { matter: string; reference: string }[]) {
  const issues = matters.slice(0, 100).map(({ matter, reference }) => ({
    path: reference,
    code: matter,
    message: `${matter.replaceAll('_', ' ')}: ${reference}`,
  }));
  return errors.DAY_BLOCKED({ count: matters.length, issues });
}
