import { randomUUID } from 'node:crypto';

/** A checkout as a provider keeps it. Amounts are decimal text, as providers have them. */
export type SimulatedCheckout = {
  readonly id: string;
  /** Our payment id. */
  readonly reference: string;
  readonly account: string;
  readonly amount: string;
  readonly currency: string;
  readonly description: string;
  readonly returnUrl: string;
  readonly webhookUrl: string;
  status: 'open' | 'approved' | 'paid' | 'declined' | 'expired' | 'cancelled';
  captureId: string | null;
  code: string | null;
};

/** A refund as a provider keeps it. */
export type SimulatedRefund = {
  readonly id: string;
  /** Our refund id. */
  readonly reference: string;
  readonly checkout: SimulatedCheckout;
  readonly amount: string;
  readonly currency: string;
  status: 'succeeded' | 'pending' | 'failed';
  code: string | null;
};

/** Something a provider tells by webhook. Sending it again keeps its id. */
export type ProviderEvent = {
  readonly id: string;
  readonly kind: 'opened' | 'approved' | 'paid' | 'declined' | 'cancelled' | 'refunded';
  readonly checkout: Readonly<SimulatedCheckout>;
};

type NewCheckout = Omit<SimulatedCheckout, 'id' | 'status' | 'captureId' | 'code'>;

/**
 * What a payment provider knows and does, without any protocol. It keeps no card data: what a guest types on the page
 * decides the outcome and is dropped.
 */
export class SimulatedProvider {
  readonly checkouts = new Map<string, SimulatedCheckout>();
  readonly refunds = new Map<string, SimulatedRefund>();
  /** How refunds end from now on. */
  refundOutcome: 'succeeded' | 'pending' | 'failed' = 'succeeded';
  readonly #tell: (event: ProviderEvent) => void;

  constructor(tell: (event: ProviderEvent) => void) {
    this.#tell = tell;
  }

  /** Makes a checkout, or gives the one of this reference. */
  open(wanted: NewCheckout): SimulatedCheckout {
    const known = this.checkouts.get(wanted.reference);
    if (known !== undefined) return known;
    const fresh = { id: `chk-${randomUUID()}`, status: 'open', captureId: null, code: null } as const;
    const made: SimulatedCheckout = { ...wanted, ...fresh };
    this.checkouts.set(made.reference, made);
    this.#say('opened', made);
    return made;
  }

  byId(id: string): SimulatedCheckout | undefined {
    return [...this.checkouts.values()].find(one => one.id === id);
  }

  /** The guest agrees; where money moves only when the merchant captures, this is not yet a payment. */
  approve(checkout: SimulatedCheckout): void {
    if (checkout.status !== 'open') return;
    checkout.status = 'approved';
    this.#say('approved', checkout);
  }

  /** The money moves; once. */
  pay(checkout: SimulatedCheckout): void {
    if (checkout.status !== 'open' && checkout.status !== 'approved') return;
    checkout.status = 'paid';
    checkout.captureId = `cap-${randomUUID()}`;
    this.#say('paid', checkout);
  }

  decline(checkout: SimulatedCheckout, code: string): void {
    if (checkout.status !== 'open' && checkout.status !== 'approved') return;
    checkout.status = 'declined';
    checkout.code = code;
    this.#say('declined', checkout);
  }

  /** Closes a checkout that is not paid; one that is stays so. */
  cancel(checkout: SimulatedCheckout): void {
    if (checkout.status !== 'open' && checkout.status !== 'approved') return;
    checkout.status = 'cancelled';
    this.#say('cancelled', checkout);
  }

  /** Sends money back, at most what was paid; the same reference is the same refund. */
  refund(
    checkout: SimulatedCheckout,
    wanted: { reference: string; amount: string; currency: string },
  ): SimulatedRefund {
    const known = this.refunds.get(wanted.reference);
    if (known !== undefined) return known;
    const before = this.refundedOf(checkout);
    const tooMuch = before + thousandths(wanted.amount) > thousandths(checkout.amount);
    const status = tooMuch || checkout.status !== 'paid' ? 'failed' : this.refundOutcome;
    const code = status === 'failed' ? (tooMuch ? 'AMOUNT_EXCEEDED' : 'REFUSED') : null;
    const made: SimulatedRefund = { id: `ref-${randomUUID()}`, checkout, ...wanted, status, code };
    this.refunds.set(made.reference, made);
    if (status === 'succeeded') this.#say('refunded', checkout);
    return made;
  }

  /** A refund that was pending is done. */
  finishRefund(reference: string): void {
    const refund = this.refunds.get(reference);
    if (refund?.status !== 'pending') return;
    refund.status = 'succeeded';
    this.#say('refunded', refund.checkout);
  }

  /** What went back of a checkout, in thousandths of its currency. */
  refundedOf(checkout: SimulatedCheckout): bigint {
    return [...this.refunds.values()]
      .filter(one => one.checkout === checkout && one.status !== 'failed')
      .reduce((sum, one) => sum + thousandths(one.amount), 0n);
  }

  #say(kind: ProviderEvent['kind'], checkout: SimulatedCheckout): void {
    this.#tell({ id: `evt-${randomUUID()}`, kind, checkout: { ...checkout } });
  }
}

/** Enough for comparing decimals of one currency in a simulator. */
function thousandths(decimal: string): bigint {
  const [whole = '0', fraction = ''] = decimal.split('.');
  return BigInt(whole + fraction.padEnd(3, '0'));
}
