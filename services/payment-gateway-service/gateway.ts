import type { Id, TenantId } from '@ghasi/domain-primitives/ids';
import type { Money } from '@ghasi/domain-primitives/money';
import type { Rail, Standing } from './model.ts';

/** One of our intents, as a provider is told of it. There is no field for card data: guests type it at the provider. */
export type Checkout = {
  readonly tenantId: TenantId;
  readonly paymentId: Id<'pay'>;
  readonly amount: Money;
  /** What the guest reads on the provider's page. */
  readonly description: string;
  /** Where the provider sends the browser afterwards, and where it calls us. */
  readonly returnUrl: string;
  readonly webhookUrl: string;
};

/** How a provider finds an intent again: by our own id, which it was given before it gave us its own. */
export type Reference = { readonly paymentId: Id<'pay'> };

/** Money to be sent back. `key` is the same for every try of the same refund. */
export type RefundOrder = {
  readonly refundId: Id<'rfd'>;
  readonly paymentId: Id<'pay'>;
  /** What the provider called the captured money. */
  readonly captureReference: string;
  readonly amount: Money;
};

/** What a provider says about a refund. */
export type RefundStanding =
  | { readonly state: 'completed'; readonly reference: string }
  | { readonly state: 'pending' }
  | { readonly state: 'failed'; readonly providerCode: string | null }
  /** Somebody hands out notes. */
  | { readonly state: 'at_desk' }
  | { readonly state: 'absent' };

/** A webhook whose signature fits. `captured` is believed; for everything else the provider is asked. */
export type Notice = {
  readonly eventId: string;
  /** The account it was sent for: our tenant. */
  readonly account: string;
  readonly paymentId: Id<'pay'>;
} & (
  | { readonly says: 'captured'; readonly reference: string; readonly amount: Money }
  | { readonly says: 'refunded' | 'changed' }
);

/** A webhook as it arrived. */
export type Incoming = {
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Of the raw body, lower-case hex: what the signature covers. */
  readonly bodySha256: string;
  readonly body: unknown;
  readonly now: Date;
};

/**
 * A provider. Every call is safe to repeat: it carries a key made of our ids. A call that gets no answer throws
 * {@link NoAnswer}, and only `inquire` may say what became of it.
 */
export type Gateway = {
  readonly rails: readonly Rail[];
  /** False for cash: nobody outside is called, so nothing can stay unanswered. */
  readonly isRemote: boolean;
  /** Its name in events, e.g. `hesabpay`. */
  readonly provider: string;
  /** Makes the checkout, or finds the one made before. */
  open(checkout: Checkout): Promise<Standing>;
  /** Asks what became of it. Providers that hold approved money until we take it are told to move it here. */
  inquire(reference: Reference): Promise<Standing>;
  /** Asks the provider to take no money any more; its answer may be that it has it already. */
  cancel(reference: Reference): Promise<Standing>;
  refund(order: RefundOrder): Promise<RefundStanding>;
  inquireRefund(order: Pick<RefundOrder, 'refundId' | 'paymentId'>): Promise<RefundStanding>;
  /** Reads a webhook; `undefined` when it is forged, stale or not understood. */
  readNotice(incoming: Incoming): Notice | undefined;
};

/** Nobody knows what happened: a timeout, a cut, or an answer that is none. Never an outcome. */
export class NoAnswer extends Error {
  constructor(what: string, options?: ErrorOptions) {
    super(`no answer to ${what}: the outcome is unknown`, options);
    this.name = 'NoAnswer';
  }
}
