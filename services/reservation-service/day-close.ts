import { answer } from '@ghasi/backbone/question';
import { on, type Reaction } from '@ghasi/backbone/reaction';
import { type Actor, tenantRead } from '@ghasi/db/tenant-transaction';
import { isId } from '@ghasi/domain-primitives/ids';
import type { PendingEvent } from '@ghasi/event-envelope/define-event';
import { BusinessDateAdvanced } from '@melmastoon/property-service/contract';
import { locked } from './commands.ts';
import { dayStatus } from './contract/questions.ts';
import * as events from './events.ts';
import { mayBecome, noShow } from './model.ts';
import { listOpen, saveReservation } from './queries.ts';

const self: Actor = { type: 'service', id: 'reservation-service' };

/** R2: who should have come or gone by the end of a hotel day, and has not. */
export const dayStatusAnswer = answer(dayStatus, ({ db, log }, { tenantId, ...day }) =>
  tenantRead(db, { tenantId, actor: self, log }, async ({ tx }) => ({ open: await listOpen(tx, day) })),
);

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
