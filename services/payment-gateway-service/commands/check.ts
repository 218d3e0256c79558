import { accepted } from '@ghasi/db/accepted';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { type Id, idFromUuid, parseTenantId } from '@ghasi/domain-primitives/ids';
import { money } from '@ghasi/domain-primitives/money';
import { type Gateway, NoAnswer, type RefundStanding } from '../gateway.ts';
import { askAgainAt, checkLeaseMs, found, isOpen, type Standing } from '../model.ts';
import type { Payments } from '../payments.ts';
import { amountOf, findIntent, type Intent, lockIntent, updateIntent } from '../queries/intents.ts';
import { findRefund, lockRefund, type Refund, updateRefund } from '../queries/refunds.ts';
import { applyRefundStanding } from './refund.ts';
import { applyStanding } from './settle.ts';

/** Runs something in a transaction of its own: a provider is never called inside one. */
export type InTransaction = <R>(work: (ctx: Ctx) => Promise<R>) => Promise<unknown>;

/** What a check needs besides the row: the transactions of whoever runs it, and his clock. */
export type Checking = { readonly transaction: InTransaction; readonly now: Date };

/** What came of a check. `unanswered`: the provider is asked again later, and nothing is assumed. */
export type Checked = 'settled' | 'unanswered' | 'not_due';

/**
 * Brings a payment and its provider together. First the row is taken for a minute, so that two workers do not ask at
 * once; then the provider is called, outside any transaction; then its word is taken in. `force`: ask also before time.
 */
export async function checkPaymentNow(
  { transaction, now }: Checking,
  payments: Payments,
  { paymentId, force = false }: { paymentId: Id<'pay'>; force?: boolean },
): Promise<Checked> {
  const lease = new Date(now.getTime() + checkLeaseMs);
  const taken: { intent?: Intent } = {};
  await transaction(async ctx => {
    const intent = await lockIntent(ctx.tx, paymentId);
    const isDue = intent.nextCheckAt !== null && (force || intent.nextCheckAt <= now);
    if (isDue) {
      const change = { nextCheckAt: lease, checks: intent.checks + 1 };
      taken.intent = updateIntent(ctx, intent, change);
    }
  });
  const { intent } = taken;
  const gateway = intent === undefined ? undefined : payments.gatewayOf(intent.rail);
  if (intent === undefined || gateway === undefined) return 'not_due';
  let said: Standing;
  try {
    said = await ask(gateway, payments, { intent, now });
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error;
    await transaction(ctx => noAnswer(ctx, paymentId, lease));
    return 'unanswered';
  }
  await transaction(async ctx => {
    const { intent: after, events } = await applyStanding(ctx, paymentId, said, lease);
    return accepted(after.status, events);
  });
  return 'settled';
}

/** Which question fits: open what is new, ask about what is under way, close what nobody wants any more. */
async function ask(
  gateway: Gateway,
  payments: Payments,
  { intent, now }: { intent: Intent; now: Date },
): Promise<Standing> {
  const paymentId = idFromUuid('pay', intent.id);
  const tenantId = parseTenantId(intent.tenantId);
  if (!isOpen(intent.status)) return gateway.cancel({ paymentId });
  const open = () =>
    gateway.open({
      tenantId,
      paymentId,
      amount: amountOf(intent),
      description: `Payment ${paymentId}`,
      returnUrl: payments.returnUrl({ tenantId, paymentId }),
      webhookUrl: payments.webhookUrl(gateway.provider, tenantId),
    });
  const isOver = intent.expiresAt !== null && intent.expiresAt <= now;
  const said = intent.status === 'created' && !isOver ? await open() : await gateway.inquire({ paymentId });
  if (said.state === 'absent') return isOver ? { state: 'cancelled' } : open();
  return said.state === 'pending' && isOver ? gateway.cancel({ paymentId }) : said;
}

/** Silence is no outcome: a checkout we do not know of is `unknown`, everything else stays what it is. */
async function noAnswer(ctx: Ctx, paymentId: Id<'pay'>, lease: Date): Promise<void> {
  const intent = await lockIntent(ctx.tx, paymentId);
  if (intent.nextCheckAt === null) return; // a webhook was quicker
  const status = intent.status === 'created' ? 'unknown' : intent.status;
  updateIntent(ctx, intent, { status, nextCheckAt: askAgainAt(intent, { lease, now: ctx.now }) });
}

/** The same for a refund. */
export async function checkRefundNow(
  { transaction, now }: Checking,
  payments: Payments,
  { refundId, force = false }: { refundId: Id<'rfd'>; force?: boolean },
): Promise<Checked> {
  const lease = new Date(now.getTime() + checkLeaseMs);
  const taken: { refund?: Refund; intent?: Intent } = {};
  await transaction(async ctx => {
    const refund = await lockRefund(ctx.tx, refundId);
    const isDue = refund.nextCheckAt !== null && (force || refund.nextCheckAt <= now);
    if (!isDue) return;
    taken.intent = found(await findIntent(ctx.tx, idFromUuid('pay', refund.paymentId)), 'Payment');
    taken.refund = updateRefund(ctx, refund, { nextCheckAt: lease, checks: refund.checks + 1 });
  });
  const { refund, intent } = taken;
  const gateway = intent === undefined ? undefined : payments.gatewayOf(intent.rail);
  if (refund === undefined || intent === undefined || gateway === undefined) return 'not_due';
  const of = { refundId, paymentId: refund.paymentId };
  let said: RefundStanding;
  try {
    said = await askRefund(gateway, { refundId, refund, intent });
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error;
    said = { state: 'pending' }; // asked about before it is sent again
    await transaction(ctx => applyRefundStanding(ctx, of, said, lease));
    return 'unanswered';
  }
  await transaction(async ctx => {
    const { refund: after, events } = await applyRefundStanding(ctx, of, said, lease);
    return accepted(after.status, events);
  });
  return 'settled';
}

async function askRefund(
  gateway: Gateway,
  { refundId, refund, intent }: { refundId: Id<'rfd'>; refund: Refund; intent: Intent },
): Promise<RefundStanding> {
  const paymentId = idFromUuid('pay', intent.id);
  const send = () =>
    gateway.refund({
      refundId,
      paymentId,
      captureReference: intent.providerReference ?? '',
      amount: money(refund.amount, refund.currency),
    });
  if (refund.status === 'requested') return send();
  const said = await gateway.inquireRefund({ refundId, paymentId });
  return said.state === 'absent' ? send() : said;
}

/** Whether a refund failed, for whoever counts failures. */
export async function hasRefundFailed(ctx: Pick<Ctx, 'tx'>, refundId: Id<'rfd'>): Promise<boolean> {
  return (await findRefund(ctx.tx, refundId))?.status === 'failed';
}
