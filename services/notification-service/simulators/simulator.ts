import type { Answering, Call } from '@ghasi/http/vendor-simulator';
import { type WebhookProtocol, WebhookSimulator } from '@ghasi/http/webhook-simulator';
import { type ProviderEvent, SimulatedProvider } from './simulated-provider.ts';

/** What a call to the provider does; faults are ordered by it. */
export type Operation = 'send' | 'inquire';

/** A provider's own way to speak. */
export type Protocol = WebhookProtocol<ProviderEvent> & {
  readonly name: string;
  read(call: Call, provider: SimulatedProvider): Answering<Operation> | undefined;
};

const notFound = { status: 404, body: { code: 20_404, message: 'not found' } };
const broken = { status: 500, body: { message: 'something broke' } };

/**
 * A provider of short messages, whose webhooks are receipts. With the fault `early` everything is delivered and its
 * receipts arrive before the answer leaves.
 */
export class Simulator extends WebhookSimulator<Operation, ProviderEvent> {
  readonly provider = new SimulatedProvider(event => this.tell(event));
  /** Where receipts go when a message does not say. */
  receiptUrl: (account: string) => string = () => '';
  readonly protocol: Protocol;

  constructor(protocol: Protocol, { webhookSecret }: { webhookSecret: string }) {
    super({
      protocol,
      webhookSecret,
      read: call => protocol.read(call, this.provider) ?? notFound,
      faults: { error: () => broken },
      addressOf: ({ message: { account, receiptUrl } }) =>
        receiptUrl === '' ? this.receiptUrl(account) : receiptUrl,
      hurry: () => {
        for (const message of this.provider.taken)
          if (message.status === 'queued') this.provider.deliver(message);
      },
    });
    this.protocol = protocol;
  }
}
