import { on, type Reaction } from '@ghasi/backbone/reaction';
import { isId } from '@ghasi/domain-primitives/ids';
import type { PendingEvent } from '@ghasi/event-envelope/define-event';
import { BusinessDateAdvanced } from '@melmastoon/property-service/contract';
import { locked } from './commands.ts';
import * as events from './events.ts';
import { mayBecome, noShow } from './model.ts';
import { saveReservation } from './queries.ts';

/** R17: those the closed day gave up on are no-shows, once. */
export const dayCloseReactions: readonly Reaction[] = [
  on(BusinessDateAdvanced, async (ctx, { closedDate, resolved }) => {
    const declared: PendingEvent[] = [];
    for (const { reference, as } of resolved) {
      if (as !== 'no_show' || !isId('rsv', reference)) continue;
      const before = await locked(ctx, reference);
      if (!mayBecome(before.status, 'no_show')) continue; // he came after all
      const { booking, fee, refund } = noShow(before);
      await saveReservation(ctx, booking);
      declared.push(events.didNotCome(booking, { businessDate: closedDate, fee, refund }));
    }
    return declared.length === 0 ? 'noop' : declared;
  }) as Reaction,
];
