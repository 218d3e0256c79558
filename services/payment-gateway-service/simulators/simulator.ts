import type { Answer, Answering, Call } from '@ghasi/http/vendor-simulator';
import { type WebhookProtocol, WebhookSimulator } from '@ghasi/http/webhook-simulator';
import { hostedPage, readForm } from './hosted-page.ts';
import { type ProviderEvent, SimulatedProvider } from './simulated-provider.ts';

/** What a call to the provider does; faults are ordered by it. */
export type Operation = 'open' | 'inquire' | 'cancel' | 'capture' | 'refund' | 'inquire-refund';

/** A provider's own way to speak. */
export type Protocol = WebhookProtocol<ProviderEvent> & {
  readonly name: string;
  /** Guests approve first, and the money moves when the merchant captures. */
  readonly capturesLater?: boolean;
  read(call: Call, provider: SimulatedProvider, url: string): Answering<Operation> | undefined;
};

/** A provider with a payment page. With the fault `early` the guest has paid before the answer leaves. */
export class Simulator extends WebhookSimulator<Operation, ProviderEvent> {
  readonly provider = new SimulatedProvider(event => this.tell(event));
  readonly protocol: Protocol;

  constructor(protocol: Protocol, { webhookSecret }: { webhookSecret: string }) {
    super({
      protocol,
      webhookSecret,
      read: call => this.#page(call) ?? protocol.read(call, this.provider, this.url),
      addressOf: ({ checkout }) => checkout.webhookUrl,
      hurry: () => {
        for (const checkout of this.provider.checkouts.values()) this.provider.pay(checkout);
      },
    });
    this.protocol = protocol;
  }

  /** The page where a guest pays; once he has chosen, the way back. */
  #page({ method, path, text }: Call): Answer | undefined {
    const [, id] = /^\/pay\/([\w-]+)$/.exec(path) ?? [];
    const checkout = this.provider.byId(id ?? '');
    if (checkout === undefined) return undefined;
    if (method === 'POST' && checkout.status === 'open') {
      const { choice } = readForm(text);
      if (choice === 'cancel') this.provider.cancel(checkout);
      else if (choice === 'decline') this.provider.decline(checkout, '51');
      else if (this.protocol.capturesLater === true) this.provider.approve(checkout);
      else this.provider.pay(checkout);
    }
    if (checkout.status !== 'open') return { status: 303, headers: { location: checkout.returnUrl } };
    const headers = { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' };
    return { status: 200, headers, body: hostedPage(this.protocol.name, checkout) };
  }
}
