import { on, type Reaction } from '@ghasi/backbone/reaction';
import { enqueue } from '@ghasi/jobs/enqueue';
import { ConsumptionCreated } from '@melmastoon/housekeeping-service/contract';
import {
  CashReconciled,
  IntentCaptured,
  IntentCreated,
  IntentFailed,
  IntentRefunded,
} from '@melmastoon/payment-gateway-service/contract';
import { DeltaApplied } from '@melmastoon/pricing-service/contract';
import { BusinessDateAdvanced, PropertyCreated } from '@melmastoon/property-service/contract';
import {
  BookingCancelled,
  BookingCheckedIn,
  BookingCheckedOut,
  BookingCheckInStarted,
  BookingCheckInUndone,
  BookingCheckOutStarted,
  BookingConfirmed,
  BookingModified,
  BookingNoShow,
} from '@melmastoon/reservation-service/contract';
import {
  cancelBooking,
  confirmBooking,
  missBooking,
  modifyBooking,
  reachStage,
  startCheckIn,
} from './commands/booking.ts';
import { startCheckOut } from './commands/check-out.ts';
import { chargeConsumption } from './commands/consumption.ts';
import { postDelta } from './commands/date-change.ts';
import { heldBack } from './commands/keep-book.ts';
import { hearOfCapture, hearOfCash, hearOfFailure, hearOfIntent, hearOfRefund } from './commands/payments.ts';
import { findHouse, moveDay, type NewHouse, rememberHouse } from './queries/houses.ts';
import { closeDay } from './tasks.ts';

/** What billing does when others' events arrive. Each finds its folio locked and ignores what is older (X-088, X-089). */
export const reactions = [
  on(PropertyCreated, async (ctx, created, { metadata }) =>
    (await rememberHouse(ctx, created as NewHouse, metadata.aggregateVersion)) ? undefined : 'noop',
  ),
  on(BusinessDateAdvanced, async (ctx, { propertyId, closedDate, businessDate }) => {
    if ((await findHouse(ctx.tx, propertyId)) === undefined) throw heldBack('the house');
    await moveDay(ctx, { propertyId, businessDate });
    await enqueue(ctx, closeDay, { propertyId, closedDate }, { key: `${propertyId}:${closedDate}` });
  }),

  on(BookingConfirmed, (ctx, p, { metadata: { aggregateVersion: v } }) => confirmBooking(ctx, p, v)),
  on(BookingCancelled, (ctx, p, { metadata: { aggregateVersion: v } }) => cancelBooking(ctx, p, v)),
  on(BookingNoShow, (ctx, p, { metadata: { aggregateVersion: v } }) => missBooking(ctx, p, v)),
  on(BookingCheckInStarted, (ctx, p, { metadata: { aggregateVersion: v } }) => startCheckIn(ctx, p, v)),
  on(BookingModified, (ctx, p, { metadata: { aggregateVersion: v } }) => modifyBooking(ctx, p, v)),
  on(BookingCheckedIn, (ctx, p, { metadata: { aggregateVersion: version } }) =>
    reachStage(ctx, p, { stage: 'in_house', version }),
  ),
  on(BookingCheckInUndone, (ctx, p, { metadata: { aggregateVersion: version } }) =>
    reachStage(ctx, p, { stage: 'expected', version }),
  ),
  on(BookingCheckOutStarted, (ctx, p, { metadata: { aggregateVersion: v } }) => startCheckOut(ctx, p, v)),
  on(BookingCheckedOut, (ctx, p, { metadata: { aggregateVersion: version } }) =>
    reachStage(ctx, p, { stage: 'left', version }),
  ),
  on(DeltaApplied, postDelta),

  on(IntentCreated, (ctx, p, { metadata: { aggregateVersion: v } }) => hearOfIntent(ctx, p, v)),
  on(IntentFailed, (ctx, p) => hearOfFailure(ctx, p)),
  on(IntentCaptured, (ctx, p, { metadata: { aggregateVersion: v } }) => hearOfCapture(ctx, p, v)),
  on(CashReconciled, (ctx, p, { metadata: { aggregateVersion: v } }) => hearOfCash(ctx, p, v)),
  on(IntentRefunded, (ctx, p) => hearOfRefund(ctx, p)),

  on(ConsumptionCreated, (ctx, p) => chargeConsumption(ctx, p)),
] as readonly Reaction[];
