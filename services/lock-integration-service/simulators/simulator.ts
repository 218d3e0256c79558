import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SimulatedLocks } from './simulated-locks.ts';

/** What a call to a vendor does; faults are ordered by it. */
export type Operation = 'sign-in' | 'issue' | 'find' | 'change' | 'remove' | 'sleep' | 'inspect' | 'encode';

/**
 * How the next call of an operation goes wrong. `cut`: the connection ends before anything happened; `lost`: after the
 * effect; `error`: 500 without an effect; `garbage`: the effect, and an answer that is none; `duplicate`: the request
 * arrives twice; `rate_limited`, `token_expired`, `lock_offline`: as the vendor says it; a number: so many ms late.
 */
export type Fault =
  | 'cut'
  | 'lost'
  | 'error'
  | 'garbage'
  | 'duplicate'
  | 'rate_limited'
  | 'token_expired'
  | 'lock_offline'
  | number;

/** A request as a protocol sees it. A form arrives as its fields. */
export type Call = {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Readonly<Record<string, unknown>>;
  readonly text: string;
};

/** An answer of a vendor. */
export type Answer = { readonly status: number; readonly body: object };

/** An answer that is made only when no fault forbids it. */
export type Answering = { readonly operation: Operation; run(): Answer };

/** A vendor's own way to speak. */
export type Protocol = {
  readonly name: string;
  /** Codes die when nobody uses them within a day. */
  readonly diesUnused?: boolean;
  read(call: Call, world: SimulatedLocks): Answering | Answer | undefined;
  /** How this vendor says these things. */
  readonly says: Readonly<Record<'rate_limited' | 'token_expired' | 'lock_offline', Answer>>;
};

/** A maker of locks as a real HTTP server on this machine, that misbehaves when told to. */
export class LockSimulator {
  readonly world: SimulatedLocks;
  readonly protocol: Protocol;
  /** What was asked of it, oldest first. */
  readonly asked: Operation[] = [];
  /** False: every connection is cut, as if the line to the vendor were down. */
  isUp = true;
  readonly #faults = new Map<Operation, Fault[]>();
  readonly #server: Server;

  constructor(protocol: Protocol) {
    this.protocol = protocol;
    this.world = new SimulatedLocks({ diesUnused: protocol.diesUnused ?? false });
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
  }

  /** The next calls of this operation go wrong like this, one after the other. */
  misbehave(operation: Operation, ...faults: Fault[]): void {
    this.#faults.set(operation, [...(this.#faults.get(operation) ?? []), ...faults]);
  }

  /** From now on everything works. */
  behave(): void {
    this.#faults.clear();
    this.isUp = true;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const call = await callOf(request);
    if (!this.isUp) return void request.socket.destroy();
    const read = this.protocol.read(call, this.world);
    if (read === undefined) return reply(response, { status: 404, body: { error: 'not found' } });
    if (!('operation' in read)) return reply(response, read);
    this.asked.push(read.operation);
    const fault = this.#faults.get(read.operation)?.shift();
    if (typeof fault === 'number') await new Promise(resolve => setTimeout(resolve, fault));
    if (fault === 'cut') return void request.socket.destroy();
    if (fault === 'error') return reply(response, { status: 500, body: { error: 'something broke' } });
    if (fault === 'rate_limited' || fault === 'token_expired' || fault === 'lock_offline')
      return reply(response, this.protocol.says[fault]);
    const answer = read.run();
    if (fault === 'duplicate') read.run();
    if (fault === 'lost') return void request.socket.destroy();
    if (fault === 'garbage') return void response.writeHead(200).end('<html>maintenance</html>');
    reply(response, answer);
  }
}

async function callOf(request: IncomingMessage): Promise<Call> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString('utf8');
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1');
  const isForm = (request.headers['content-type'] ?? '').includes('x-www-form-urlencoded');
  const body = isForm ? Object.fromEntries(new URLSearchParams(text)) : text === '' ? {} : JSON.parse(text);
  const headers = request.headers as Record<string, string | undefined>;
  return { method: request.method ?? 'GET', path: pathname, query: searchParams, headers, body, text };
}

function reply(response: ServerResponse, { status, body }: Answer): void {
  const after = status === 429 ? { 'retry-after': '2' } : {};
  response.writeHead(status, { 'content-type': 'application/json', ...after });
  response.end(status === 204 ? undefined : JSON.stringify(body));
}
