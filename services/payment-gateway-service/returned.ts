import type { Database } from '@ghasi/db/database';
import { type Actor, type Ctx, tenantRead, tenantTransaction } from '@ghasi/db/tenant-transaction';
import type { Id, TenantId } from '@ghasi/domain-primitives/ids';
import type { Logger } from '@ghasi/telemetry/logger';
import { checkPaymentNow } from './commands/check.ts';
import type { CheckoutFacts } from './contract.ts';
import type { Payments } from './payments.ts';
import { findIntent } from './queries/intents.ts';
import { viewCheckout } from './views.ts';

const self: Actor = { type: 'service', id: 'payment-gateway-service' };

/**
 * A browser came back from the provider. Whatever its address says, the provider is asked; no answer leaves the payment
 * as it is, and the guest, who may have paid, is told `unknown`: his page goes on waiting. Undefined: no such payment.
 */
export async function returned(
  payments: Payments,
  { db, log, now }: { db: Database; log: Logger; now: Date },
  { tenantId, paymentId }: { tenantId: TenantId; paymentId: Id<'pay'> },
): Promise<CheckoutFacts | undefined> {
  const who = { tenantId, actor: self, log, now };
  const read = () => tenantRead(db, who, ({ tx }) => findIntent(tx, paymentId));
  const before = await read();
  if (before === undefined) return undefined;
  const transaction = <R>(work: (ctx: Ctx) => Promise<R>) => tenantTransaction(db, who, work);
  const checked =
    before.nextCheckAt === null
      ? 'settled'
      : await checkPaymentNow({ transaction, now }, payments, { paymentId, force: true });
  const after = await read();
  if (after === undefined) return undefined;
  const view = viewCheckout(after);
  return checked === 'unanswered' && view.status === 'pending' ? { ...view, status: 'unknown' } : view;
}
