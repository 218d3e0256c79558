import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type ProviderEvent, SimulatedProvider } from './simulated-provider.ts';

/** What a call to the provider does; faults are ordered by it. */
export type Operation = 'send' | 'inquire';

/**
 * How the next call of an operation goes wrong. `cut`: the connection ends before anything happened; `lost`: after the
 * effect; `error`: 500 without an effect; `garbage`: the effect, and an answer that is none; `early`: everything is
 * delivered and its receipts arrive before the answer leaves; a number: that many milliseconds late.
 */
export type Fault = 'cut' | 'lost' | 'error' | 'garbage' | 'early' | number;

/** A request as a protocol sees it; `body` is the form or the JSON. */
export type Call = {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Readonly<Record<string, unknown>>;
};

/** An answer that is made only when no fault forbids it. */
export type Answering = { readonly operation: Operation; run(): { status: number; body: object } };

/** A provider's own way to speak. */
export type Protocol = {
  readonly name: string;
  read(call: Call, provider: SimulatedProvider): Answering | undefined;
  webhook(event: ProviderEvent): object;
  sign(secret: string, timestamp: string, bodySha256: string): Readonly<Record<string, string>>;
};

/** A receipt that was sent, and what came back; 0: nobody answered. */
export type Sent = { readonly event: ProviderEvent; readonly status: number };

/** A provider of short messages as a real HTTP server on this machine, that misbehaves when told to. */
export class Simulator {
  readonly provider = new SimulatedProvider(event => this.#told(event));
  /** Everything that was ever to be told, in the order it happened. */
  readonly events: ProviderEvent[] = [];
  readonly sent: Sent[] = [];
  /** `send`: receipts go out as things happen; `hold`: only when `deliver` is called. */
  webhooks: 'send' | 'hold' = 'send';
  /** Where receipts go when a message does not say. */
  receiptUrl: (account: string) => string = () => '';
  now: () => Date = () => new Date();
  readonly protocol: Protocol;
  readonly #secret: string;
  readonly #faults = new Map<Operation, Fault[]>();
  readonly #sending = new Set<Promise<unknown>>();
  readonly #server: Server;

  constructor(protocol: Protocol, { webhookSecret }: { webhookSecret: string }) {
    this.protocol = protocol;
    this.#secret = webhookSecret;
    this.#server = createServer((request, response) => {
      this.#serve(request, response).catch(() => response.destroy());
    });
  }

  /** Starts to listen on this machine; port 0 takes a free one. */
  async listen(port = 0): Promise<string> {
    await new Promise<void>(resolve => this.#server.listen(port, '127.0.0.1', resolve));
    return this.url;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise(resolve => this.#server.close(resolve));
    await this.quiet();
  }

  /** The next calls of this operation go wrong like this, one after the other. */
  misbehave(operation: Operation, ...faults: Fault[]): void {
    this.#faults.set(operation, [...(this.#faults.get(operation) ?? []), ...faults]);
  }

  /** Sends a receipt, as often as asked; waits for the answers. */
  async deliver(event: ProviderEvent, times = 1): Promise<void> {
    for (let time = 0; time < times; time++) this.sent.push({ event, status: await this.#post(event) });
  }

  /** Waits until every receipt that is on its way has arrived. */
  async quiet(): Promise<void> {
    while (this.#sending.size > 0) await Promise.allSettled(this.#sending);
  }

  /** A receipt as it would be sent: for tests that change a byte of it. */
  signed(event: ProviderEvent, secret = this.#secret): { body: string; headers: Record<string, string> } {
    const body = JSON.stringify(this.protocol.webhook(event));
    const bodySha256 = createHash('sha256').update(body).digest('hex');
    const timestamp = String(Math.floor(this.now().getTime() / 1_000));
    const headers = {
      'content-type': 'application/json',
      ...this.protocol.sign(secret, timestamp, bodySha256),
    };
    return { body, headers };
  }

  #told(event: ProviderEvent): void {
    this.events.push(event);
    if (this.webhooks === 'hold') return;
    const sending = this.deliver(event).finally(() => this.#sending.delete(sending));
    this.#sending.add(sending);
  }

  async #post(event: ProviderEvent): Promise<number> {
    const { account, receiptUrl } = event.message;
    const url = receiptUrl === '' ? this.receiptUrl(account) : receiptUrl;
    const signal = AbortSignal.timeout(10_000);
    return fetch(url, { method: 'POST', ...this.signed(event), signal }).then(
      reply => reply.status,
      () => 0,
    );
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', this.url);
    const { method = 'GET', headers } = request;
    const body = parsed(await readAll(request), headers['content-type'] ?? '');
    const answering = this.protocol.read({ method, url, headers, body }, this.provider);
    if (answering === undefined) return reply(response, 404, { code: 20_404, message: 'not found' });
    const fault = this.#faults.get(answering.operation)?.shift();
    if (typeof fault === 'number') await new Promise(resolve => setTimeout(resolve, fault));
    if (fault === 'cut') return void request.socket.destroy();
    if (fault === 'error') return reply(response, 500, { message: 'something broke' });
    const answer = answering.run();
    if (fault === 'lost') return void request.socket.destroy();
    if (fault === 'garbage') return void response.writeHead(200).end('<html>maintenance</html>');
    if (fault === 'early') {
      for (const message of this.provider.taken)
        if (message.status === 'queued') this.provider.deliver(message);
      await this.quiet();
    }
    reply(response, answer.status, answer.body);
  }
}

async function readAll(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

function parsed(text: string, type: string): Record<string, unknown> {
  if (type.startsWith('application/x-www-form-urlencoded'))
    return Object.fromEntries(new URLSearchParams(text));
  return text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
}

function reply(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
