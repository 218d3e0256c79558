import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hostedPage, readForm } from './hosted-page.ts';
import { type ProviderEvent, SimulatedProvider } from './simulated-provider.ts';

/** What a call to the provider does; faults are ordered by it. */
export type Operation = 'open' | 'inquire' | 'cancel' | 'capture' | 'refund' | 'inquire-refund';

/**
 * How the next call of an operation goes wrong. `cut`: the connection ends before anything happened; `lost`: after the
 * effect; `error`: 500 without an effect; `garbage`: the effect, and an answer that is none; `early`: the guest has paid
 * and the webhook is delivered before the answer leaves; a number: that many milliseconds late; a promise: once it is
 * kept.
 */
export type Fault = 'cut' | 'lost' | 'error' | 'garbage' | 'early' | number | Promise<unknown>;

/** A request as a protocol sees it. */
export type Call = { readonly method: string; readonly path: string; readonly body: Record<string, unknown> };

/** An answer that is made only when no fault forbids it. */
export type Answering = { readonly operation: Operation; run(): { status: number; body: object } };

/** A provider's own way to speak. */
export type Protocol = {
  readonly name: string;
  /** Guests approve first, and the money moves when the merchant captures. */
  readonly capturesLater?: boolean;
  read(call: Call, provider: SimulatedProvider, url: string): Answering | undefined;
  webhook(event: ProviderEvent): object;
  sign(secret: string, timestamp: string, bodySha256: string): Readonly<Record<string, string>>;
};

/** A webhook that was sent, and what came back; 0: nobody answered. */
export type Sent = { readonly event: ProviderEvent; readonly status: number };

/** A provider as a real HTTP server on this machine, that misbehaves when told to. */
export class Simulator {
  readonly provider = new SimulatedProvider(event => this.#told(event));
  /** Everything that was ever to be told, in the order it happened. */
  readonly events: ProviderEvent[] = [];
  readonly sent: Sent[] = [];
  /** `send`: webhooks go out as things happen; `hold`: only when `deliver` is called. */
  webhooks: 'send' | 'hold' = 'send';
  /** How often each webhook is sent. */
  copies = 1;
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

  /** Sends a webhook, as often as asked; waits for the answers. */
  async deliver(event: ProviderEvent, times = 1): Promise<void> {
    for (let time = 0; time < times; time++) this.sent.push({ event, status: await this.#post(event) });
  }

  /** Waits until every webhook that is on its way has arrived. */
  async quiet(): Promise<void> {
    while (this.#sending.size > 0) await Promise.allSettled(this.#sending);
  }

  #told(event: ProviderEvent): void {
    this.events.push(event);
    if (this.webhooks === 'hold') return;
    const sending = this.deliver(event, this.copies).finally(() => this.#sending.delete(sending));
    this.#sending.add(sending);
  }

  async #post(event: ProviderEvent): Promise<number> {
    const body = JSON.stringify(this.protocol.webhook(event));
    const bodySha256 = createHash('sha256').update(body).digest('hex');
    const timestamp = String(Math.floor(this.now().getTime() / 1000));
    const signed = this.protocol.sign(this.#secret, timestamp, bodySha256);
    const headers = { 'content-type': 'application/json', ...signed };
    const { webhookUrl } = event.checkout;
    return fetch(webhookUrl, { method: 'POST', headers, body, signal: AbortSignal.timeout(10_000) }).then(
      reply => reply.status,
      () => 0,
    );
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(request.url ?? '/', this.url).pathname;
    const text = await readAll(request);
    const page = /^\/pay\/([\w-]+)$/.exec(path);
    if (page !== null) return this.#servePage(page[1] as string, request.method ?? 'GET', text, response);
    const method = request.method ?? 'GET';
    const body = text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
    const answering = this.protocol.read({ method, path, body }, this.provider, this.url);
    if (answering === undefined) return reply(response, 404, { error: 'not found' });
    const fault = this.#faults.get(answering.operation)?.shift();
    if (typeof fault === 'number') await new Promise(resolve => setTimeout(resolve, fault));
    if (fault instanceof Promise) await fault;
    if (fault === 'cut') return void request.socket.destroy();
    if (fault === 'error') return reply(response, 500, { error: 'something broke' });
    const answer = answering.run();
    if (fault === 'lost') return void request.socket.destroy();
    if (fault === 'garbage') return void response.writeHead(200).end('<html>maintenance</html>');
    if (fault === 'early') {
      for (const checkout of this.provider.checkouts.values()) this.provider.pay(checkout);
      await this.quiet();
    }
    reply(response, answer.status, answer.body);
  }

  #servePage(id: string, method: string, text: string, response: ServerResponse): void {
    const checkout = this.provider.byId(id);
    if (checkout === undefined) {
      reply(response, 404, { error: 'not found' });
      return;
    }
    if (method === 'POST' && checkout.status === 'open') {
      const { choice } = readForm(text);
      if (choice === 'cancel') this.provider.cancel(checkout);
      else if (choice === 'decline') this.provider.decline(checkout, '51');
      else if (this.protocol.capturesLater === true) this.provider.approve(checkout);
      else this.provider.pay(checkout);
    }
    if (checkout.status !== 'open') {
      response.writeHead(303, { location: checkout.returnUrl }).end();
      return;
    }
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' });
    response.end(hostedPage(this.protocol.name, checkout));
  }
}

async function readAll(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

function reply(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
