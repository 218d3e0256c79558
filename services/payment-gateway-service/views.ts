import { idFromUuid } from '@ghasi/domain-primitives/ids';
import { money, toJson } from '@ghasi/domain-primitives/money';
import type { z } from 'zod';
import type { CountedDrawer } from './commands/drawers.ts';
import type { drawerView, lineView, paymentView, refundView } from './contract/resources.ts';
import type { CheckoutFacts } from './contract.ts';
import type { Intent } from './queries/intents.ts';
import type { Line } from './queries/ledger.ts';
import type { Refund } from './queries/refunds.ts';

/** A payment for the desk. */
export function viewPayment(intent: Intent): z.input<typeof paymentView> {
  const inMoney = (minor: bigint) => toJson(money(minor, intent.currency));
  return {
    paymentId: idFromUuid('pay', intent.id),
    reservationId: idFromUuid('rsv', intent.reservationId),
    propertyId: idFromUuid('pro', intent.propertyId),
    folioId: intent.folioId === null ? null : idFromUuid('fol', intent.folioId),
    purpose: intent.purpose,
    rail: intent.rail,
    provider: intent.provider,
    status: intent.status,
    amount: inMoney(intent.amount),
    captured: inMoney(intent.captured),
    refunded: inMoney(intent.refunded),
    redirectUrl: intent.redirectUrl,
    failureReason: intent.failureReason,
    providerCode: intent.providerCode,
    expiresAt: intent.expiresAt?.toISOString() ?? null,
    createdAt: intent.createdAt.toISOString(),
    version: intent.version,
  };
}

/** A payment for the guest's page and other services. */
export function viewCheckout(intent: Intent): CheckoutFacts {
  const { id, purpose, rail, status, amount, currency, redirectUrl, expiresAt } = intent;
  return {
    paymentId: idFromUuid('pay', id),
    purpose,
    rail,
    status,
    amount: toJson(money(amount, currency)),
    redirectUrl,
    expiresAt: expiresAt?.toISOString() ?? null,
  };
}

/** A refund for the desk. */
export function viewRefund(refund: Refund): z.input<typeof refundView> {
  return {
    refundId: idFromUuid('rfd', refund.id),
    paymentId: idFromUuid('pay', refund.paymentId),
    amount: toJson(money(refund.amount, refund.currency)),
    reason: refund.reason,
    status: refund.status,
    providerCode: refund.providerCode,
    createdAt: refund.createdAt.toISOString(),
  };
}

/** A line of the ledger for the desk. */
export function viewLine(line: Line): z.input<typeof lineView> {
  const { valueAmount, valueCurrency } = line;
  return {
    kind: line.kind,
    from: line.fromAccount,
    to: line.toAccount,
    amount: toJson(money(line.amount, line.currency)),
    value: valueAmount === null || valueCurrency === null ? null : toJson(money(valueAmount, valueCurrency)),
    refundId: line.refundId === null ? null : idFromUuid('rfd', line.refundId),
    shiftId: line.shiftId === null ? null : idFromUuid('shf', line.shiftId),
    reason: line.reason,
    businessDate: line.businessDate,
    occurredAt: line.occurredAt.toISOString(),
  };
}

/** A drawer for the desk. */
export function viewDrawer({ drawer, counts }: CountedDrawer): z.input<typeof drawerView> {
  return {
    shiftId: idFromUuid('shf', drawer.shiftId),
    propertyId: idFromUuid('pro', drawer.propertyId),
    businessDate: drawer.businessDate,
    status: drawer.status,
    openedAt: drawer.openedAt.toISOString(),
    closedAt: drawer.closedAt?.toISOString() ?? null,
    counts: counts.map(({ counted, expected, currency, reason }) => ({
      counted: toJson(money(counted, currency)),
      expected: toJson(money(expected, currency)),
      variance: toJson(money(counted - expected, currency)),
      reason,
    })),
  };
}
