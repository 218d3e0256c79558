import { on, type Reaction } from '@ghasi/backbone/reaction';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { days } from '@ghasi/domain-primitives/duration';
import { type Id, isId } from '@ghasi/domain-primitives/ids';
import { addDays, parseLocalDate } from '@ghasi/domain-primitives/local-date';
import type { PendingEvent } from '@ghasi/event-envelope/define-event';
import { BusinessDateAdvanced } from '@melmastoon/property-service/contract';
import { locked } from './commands.ts';
import * as events from './events.ts';
import { mayBecome, noShow } from './model.ts';
import { endSaga, findSagaOf, saveReservation } from './queries.ts';
import { changeDates } from './sagas/date-change.ts';

/** What the house rules made of a day's open ends: no-shows, and guests who stay on. */
export const dayCloseReactions: readonly Reaction[] = [
  on(BusinessDateAdvanced, async (ctx, { closedDate, resolved }) => {
    const said: PendingEvent[] = [];
    for (const { reference, as } of resolved) {
      if (!isId('rsv', reference)) continue;
      if (as === 'no_show') said.push(...(await declareNoShow(ctx, reference, closedDate)));
      if (as === 'extended') said.push(...(await extendByANight(ctx, reference)));
    }
    return said.length === 0 ? 'noop' : said;
  }) as Reaction,
];

/** R17: the day gave up on him. */
async function declareNoShow(ctx: Ctx, id: Id<'rsv'>, closedDate: string): Promise<PendingEvent[]> {
  const before = await locked(ctx, id);
  if (!mayBecome(before.status, 'no_show')) return []; // he came after all
  if ((await findSagaOf(ctx, { reservationId: id, kind: 'check_in' })) !== undefined) return []; // or stands at the desk
  endSaga(ctx, { reservationId: id }, 'compensated');
  const { booking, fee, refund } = noShow(before, closedDate);
  saveReservation(ctx, booking);
  return [events.didNotCome(booking, { businessDate: closedDate, fee, refund })];
}

/** R2: he should have left and is still here. If there is no room for another night, the next close finds him again. */
async function extendByANight(ctx: Ctx, id: Id<'rsv'>): Promise<readonly PendingEvent[]> {
  const { status, stay, keyWindow, wanted } = await locked(ctx, id);
  if (status !== 'checked_in' || wanted !== null) return [];
  const validUntil = new Date(Date.parse(keyWindow.validUntil) + days(1)).toISOString();
  const { events: asked } = await changeDates(ctx, {
    id,
    reason: 'extension',
    stay: { ...stay, departure: addDays(parseLocalDate(stay.departure), 1) },
    keyWindow: { ...keyWindow, validUntil },
  });
  return asked as readonly PendingEvent[];
}
