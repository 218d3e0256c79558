import { createHash } from 'node:crypto';
import { seconds } from '@ghasi/domain-primitives/duration';
import { type Vendor, VendorSimulator } from './vendor-simulator.ts';

/** How a vendor words and signs what it tells; each has headers of its own. */
export type WebhookProtocol<Event> = {
  webhook(event: Event): object;
  sign(secret: string, timestamp: string, bodySha256: string): Readonly<Record<string, string>>;
};

/** A webhook that was sent, and what came back; 0: nobody answered. */
export type Sent<Event> = { readonly event: Event; readonly status: number };

/** A vendor that also tells what happened. */
export type TellingVendor<Operation extends string, Event> = {
  readonly read: Vendor<Operation>['read'];
  readonly faults?: Vendor<Operation>['faults'];
  readonly protocol: WebhookProtocol<Event>;
  readonly webhookSecret: string;
  /** Where the webhook of an event goes. */
  addressOf(event: Event): string;
  /** Makes everything happen at once that would happen later: what the fault `early` is made of. */
  hurry(): void;
};

const ANSWER_TIMEOUT_MS = seconds(10);

/**
 * A simulator whose vendor sends signed webhooks: late, often, or `early`, a fault where all is over and told before the
 * answer to the call leaves.
 */
export class WebhookSimulator<Operation extends string, Event> extends VendorSimulator<Operation, 'early'> {
  /** Everything that was ever to be told, in the order it happened. */
  readonly events: Event[] = [];
  readonly sent: Sent<Event>[] = [];
  /** `send`: webhooks go out as things happen; `hold`: only when `deliver` is called. */
  webhooks: 'send' | 'hold' = 'send';
  /** How often each webhook is sent. */
  copies = 1;
  now: () => Date = () => new Date();
  readonly #vendor: TellingVendor<Operation, Event>;
  readonly #sending = new Set<Promise<unknown>>();

  constructor(vendor: TellingVendor<Operation, Event>) {
    super({
      read: vendor.read,
      faults: {
        ...vendor.faults,
        early: async run => {
          const answer = run();
          vendor.hurry();
          await this.quiet();
          return answer;
        },
      },
    });
    this.#vendor = vendor;
  }

  /** Something happened at the vendor: it is remembered, and sent unless webhooks are held. */
  tell(event: Event): void {
    this.events.push(event);
    if (this.webhooks === 'hold') return;
    const sending = this.deliver(event, this.copies).finally(() => this.#sending.delete(sending));
    this.#sending.add(sending);
  }

  /** Sends a webhook, as often as asked; waits for the answers. */
  async deliver(event: Event, times = 1): Promise<void> {
    for (let time = 0; time < times; time++) this.sent.push({ event, status: await this.#post(event) });
  }

  /** Waits until every webhook that is on its way has arrived. */
  async quiet(): Promise<void> {
    while (this.#sending.size > 0) await Promise.allSettled(this.#sending);
  }

  /** A webhook as it would be sent: for tests that change a byte of it. */
  signed(
    event: Event,
    secret = this.#vendor.webhookSecret,
  ): { body: string; headers: Record<string, string> } {
    const { protocol } = this.#vendor;
    const body = JSON.stringify(protocol.webhook(event));
    const bodySha256 = createHash('sha256').update(body).digest('hex');
    const timestamp = String(Math.floor(this.now().getTime() / 1_000));
    const headers = { 'content-type': 'application/json', ...protocol.sign(secret, timestamp, bodySha256) };
    return { body, headers };
  }

  /** Nobody is told anything after this. */
  override async close(): Promise<void> {
    await super.close();
    await this.quiet();
  }

  async #post(event: Event): Promise<number> {
    const signal = AbortSignal.timeout(ANSWER_TIMEOUT_MS);
    return fetch(this.#vendor.addressOf(event), { method: 'POST', ...this.signed(event), signal }).then(
      reply => reply.status,
      () => 0,
    );
  }
}
