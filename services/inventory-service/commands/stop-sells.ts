import { type Accepted, accepted } from '@ghasi/db/accepted';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { coreErrors } from '@ghasi/domain-primitives/errors';
import type { Id } from '@ghasi/domain-primitives/ids';
import { addDays, type LocalDate } from '@ghasi/domain-primitives/local-date';
import { StopSellActivated, StopSellCleared, type stopSellEndings } from '../contract.ts';
import { horizon } from '../model.ts';
import { lockTypeNights, remarkStopSells } from '../queries/nights.ts';
import { findRoomType, lockType } from '../queries/rooms.ts';
import {
  endStopSell,
  insertStopSell,
  lapsedStopSells,
  lockStopSell,
  type StopSell,
} from '../queries/stop-sells.ts';

/** What staff ask for. */
export type StopSelling = {
  roomTypeId: Id<'rty'>;
  from: LocalDate;
  until: LocalDate;
  reason: StopSell['reason'];
};

/** Takes a room type off sale for some nights, whatever is free; what is sold stays sold. */
export async function stopSelling(ctx: Ctx, input: StopSelling): Promise<Accepted<StopSell>> {
  const type = await findRoomType(ctx, input.roomTypeId);
  if (type === undefined) throw coreErrors.NOT_FOUND({ entity: 'Room type' });
  const one = { ...input, id: ctx.newId('sps'), propertyId: type.propertyId, ending: null, version: 1 };
  await lockType(ctx, one.roomTypeId);
  await lockTypeNights(ctx, one);
  await insertStopSell(ctx, one);
  await remarkStopSells(ctx, one);
  const { id: stopSellId, propertyId, roomTypeId, from, until, reason } = one;
  const payload = { stopSellId, propertyId, roomTypeId, nights: { from, until }, reason, ticketId: null };
  return accepted(one, [StopSellActivated.from(payload, { aggregateVersion: 1 })]);
}

/** Lifts a stop-sell; one that is over already stays over, and is not told again. */
export async function resumeSelling(
  ctx: Ctx,
  { stopSellId }: { stopSellId: Id<'sps'> },
): Promise<Accepted<StopSell>> {
  const one = await lockStopSell(ctx, stopSellId);
  if (one === undefined) throw coreErrors.NOT_FOUND({ entity: 'Stop-sell' });
  if (one.ending !== null) return accepted(one, []);
  return end(ctx, one, 'operator');
}

/** Ends stop-sells whose nights are over everywhere; the value is how many. */
export async function lapseStopSells(ctx: Ctx): Promise<Accepted<number>> {
  // One day later than the date in UTC says: somewhere it may still be the last night.
  const over = await lapsedStopSells(ctx, addDays(horizon(ctx.now).today, -1));
  const ended = [];
  for (const one of over) ended.push(await end(ctx, one, 'lapsed'));
  return accepted(
    over.length,
    ended.flatMap(({ events }) => events),
  );
}

async function end(
  ctx: Ctx,
  from: StopSell,
  ending: (typeof stopSellEndings)[number],
): Promise<Accepted<StopSell>> {
  const one = { ...from, ending, version: from.version + 1 };
  await lockType(ctx, one.roomTypeId);
  await lockTypeNights(ctx, one);
  await endStopSell(ctx, one);
  await remarkStopSells(ctx, one);
  const { id: stopSellId, propertyId, roomTypeId } = one;
  const payload = {
    stopSellId,
    propertyId,
    roomTypeId,
    nights: { from: one.from, until: one.until },
    ending,
  };
  return accepted(one, [StopSellCleared.from(payload, { aggregateVersion: one.version })]);
}
