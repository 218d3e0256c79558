import { type Accepted, accepted } from '@ghasi/db/accepted';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { type Id, idFromUuid, parseId } from '@ghasi/domain-primitives/ids';
import { money, toJson } from '@ghasi/domain-primitives/money';
import { accounts, drawerAccount, type Movement, received } from '../cash.ts';
import { CashReconciled, IntentCaptured } from '../contract.ts';
import { errors } from '../errors.ts';
import { assertNext } from '../model.ts';
import { findBooking } from '../queries/bookings.ts';
import { type Drawer, lockDrawer } from '../queries/drawers.ts';
import { headOf, type Intent, lockIntent, updateIntent } from '../queries/intents.ts';
import { note, post } from '../queries/ledger.ts';
import type { Refund } from '../queries/refunds.ts';
import { assertShift, type Handling } from './drawers.ts';
import { completeRefund, lockBoth } from './refund.ts';

/** Notes over the desk. */
export type CashTaken = Handling & { paymentId: Id<'pay'>; drawer: readonly Movement[] };

/**
 * Takes the notes of a guest. A promise becomes money, less than promised leaves a balance; a payment that was
 * to be made in cash right now takes exactly what is due.
 */
export async function takeCash(ctx: Ctx, input: CashTaken): Promise<Accepted<Intent>> {
  const intent = await lockIntent(ctx.tx, input.paymentId);
  if (intent.rail !== 'cash' && intent.rail !== 'cash_pending') throw errors.NOT_A_CASH_PAYMENT();
  assertNext(intent.status, 'captured');
  if ((await findBooking(ctx.tx, intent.reservationId))?.ended) throw errors.BOOKING_ENDED();
  if (intent.rail === 'cash_pending' && intent.folioId === null) throw errors.FOLIO_NOT_OPEN();
  const net = received(intent.currency, input.drawer);
  if (intent.rail === 'cash' && net !== intent.amount)
    throw errors.CASH_AMOUNT_DIFFERS({ due: String(intent.amount), currency: intent.currency });
  const drawer = await openDrawerOf(ctx, input, intent.propertyId);
  await post(ctx, {
    ...placeOf(intent, drawer),
    kind: 'capture',
    fromAccount: accounts.guest,
    toAccount: accounts.till,
    amount: net,
    currency: intent.currency,
  });
  await postMovements(ctx, { intent, drawer, movements: input.drawer });
  const captured = updateIntent(ctx, intent, { status: 'captured', captured: net });
  if (net < intent.amount)
    note(ctx, {
      entry: 'capture.partial_cash',
      reservationId: intent.reservationId,
      paymentId: intent.id,
      detail: { due: String(intent.amount), received: String(net), currency: intent.currency },
    });
  return accepted(captured, [takenEvent(ctx, captured, { drawer, movements: input.drawer })]);
}

function takenEvent(
  ctx: Ctx,
  intent: Intent,
  { drawer, movements }: { drawer: Drawer; movements: readonly Movement[] },
) {
  const { folioId, ...head } = headOf(intent);
  const amount = toJson(money(intent.captured, intent.currency));
  const desk = {
    takenBy: parseId('usr', ctx.actor.id),
    shiftId: idFromUuid('shf', drawer.shiftId),
    businessDate: drawer.businessDate,
  };
  const at = { aggregateVersion: intent.version };
  if (intent.rail === 'cash')
    return IntentCaptured.from({ ...head, folioId, rail: 'cash', amount, ...desk }, at);
  if (folioId === null) throw errors.FOLIO_NOT_OPEN();
  return CashReconciled.from(
    {
      ...head,
      folioId,
      due: toJson(money(intent.amount, intent.currency)),
      received: amount,
      drawer: movements.map(({ direction, cash, value }) => ({
        direction,
        cash: toJson(cash),
        value: toJson(value),
      })),
      ...desk,
    },
    at,
  );
}

/** Hands out the notes of a refund. */
export async function payOutRefund(
  ctx: Ctx,
  input: Handling & { refundId: Id<'rfd'>; paymentId: string; drawer: readonly Movement[] },
): Promise<Accepted<Refund>> {
  const { intent, refund } = await lockBoth(ctx, input);
  if (refund.status !== 'at_desk') throw errors.REFUND_NOT_AT_DESK();
  // Seen from the guest: what leaves the drawer less what comes back is what he gets.
  const turned = input.drawer.map(one => ({
    ...one,
    direction: one.direction === 'in' ? ('out' as const) : ('in' as const),
  }));
  const net = received(refund.currency, turned);
  if (net !== refund.amount)
    throw errors.CASH_AMOUNT_DIFFERS({ due: String(refund.amount), currency: refund.currency });
  const drawer = await openDrawerOf(ctx, input, intent.propertyId);
  await postMovements(ctx, { intent, drawer, movements: input.drawer, refundId: refund.id });
  const done = await completeRefund(ctx, { intent, refund, reference: null });
  return accepted(done.refund, done.events);
}

async function openDrawerOf(ctx: Ctx, handling: Handling, propertyId: string): Promise<Drawer> {
  await assertShift(ctx, handling);
  const drawer = await lockDrawer(ctx.tx, handling.shiftId);
  if (drawer?.status !== 'open') throw errors.DRAWER_NOT_OPEN();
  if (drawer.propertyId !== propertyId) throw errors.DRAWER_OF_ANOTHER_PROPERTY();
  return drawer;
}

function placeOf(intent: Intent, { shiftId, businessDate }: Drawer) {
  return {
    propertyId: intent.propertyId,
    reservationId: intent.reservationId,
    paymentId: intent.id,
    shiftId,
    businessDate,
  };
}

type Moving = { intent: Intent; drawer: Drawer; movements: readonly Movement[]; refundId?: string };

/** One line per pile of notes, with the value it had at that moment: a later rate changes no past line. */
async function postMovements(ctx: Ctx, { intent, drawer, movements, refundId }: Moving): Promise<void> {
  const account = drawerAccount(drawer.shiftId);
  for (const { direction, cash, value } of movements) {
    const isIn = direction === 'in';
    await post(ctx, {
      ...placeOf(intent, drawer),
      refundId: refundId ?? null,
      kind: isIn ? 'cash_in' : 'cash_out',
      fromAccount: isIn ? accounts.till : account,
      toAccount: isIn ? account : accounts.till,
      amount: cash.minor,
      currency: cash.currency,
      valueAmount: value.minor,
      valueCurrency: value.currency,
    });
  }
}
