import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** A request as a vendor's protocol sees it: `body` is the JSON or the form's fields, `text` what a signature covers. */
export type Call = {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Readonly<Record<string, unknown>>;
  readonly text: string;
};

/** What a vendor says: an object leaves as JSON, text as it is, for pages and for nonsense. */
export type Answer = {
  readonly status: number;
  readonly body?: object | string;
  readonly headers?: Readonly<Record<string, string>>;
};

/** An answer that is not made yet, because a fault may forbid its effect; faults are ordered by its operation. */
export type Answering<Operation extends string> = { readonly operation: Operation; run(): Answer };

/** How a call goes wrong: a function that decides whether the effect happens (`run`), and what is heard of it. */
export type Misbehaviour = (run: () => Answer) => Answer | 'cut' | Promise<Answer | 'cut'>;

/** The ways in which every vendor fails, told apart by what the caller cannot know: whether the effect happened. */
export type CommonFault = 'cut' | 'lost' | 'error' | 'garbage';

/**
 * What the next call of an operation meets. `cut`: the connection ends before anything happened; `lost`: after the
 * effect; `error`: 500 without an effect; `garbage`: the effect, and an answer that is none; a number: everything that
 * many milliseconds late; a promise: once it is kept, for tests that must not guess a time.
 */
export type Fault<Own extends string = never> = CommonFault | Own | number | Promise<unknown>;

/** What makes one vendor different from another. */
export type Vendor<Operation extends string, Own extends string = never> = {
  /** What is asked, or an answer no fault can touch (a page, a refused sign-in); undefined: 404. */
  readonly read: (call: Call) => Answering<Operation> | Answer | undefined;
  /** Faults only this vendor has, and common ones that it words differently. */
  readonly faults: Readonly<Record<Own, Misbehaviour> & Partial<Record<CommonFault, Misbehaviour>>>;
};

const common: Readonly<Record<CommonFault, Misbehaviour>> = {
  cut: () => 'cut',
  lost(run) {
    run();
    return 'cut';
  },
  error: () => ({ status: 500, body: { error: 'something broke' } }),
  garbage(run) {
    run();
    return { status: 200, body: '<html>maintenance</html>' };
  },
};

/** A vendor as a real HTTP server on this machine that misbehaves when told to: for demos, and adapters under test. */
export class VendorSimulator<Operation extends string, Own extends string = never> {
  /** What was asked of it, oldest first. */
  readonly asked: Operation[] = [];
  /** False: every connection is cut, as if the line to the vendor were down. */
  isUp = true;
  readonly #read: Vendor<Operation>['read'];
  readonly #misbehaviours: Readonly<Record<CommonFault | Own, Misbehaviour>>;
  readonly #faults = new Map<Operation, Fault<Own>[]>();
  readonly #server = createServer((request, response) => {
    this.#serve(request, response).catch(() => response.destroy());
  });

  constructor({ read, faults }: Vendor<Operation, Own>) {
    this.#read = read;
    this.#misbehaviours = { ...common, ...faults };
  }

  /** Starts to listen on this machine; port 0 takes a free one. */
  async listen(port = 0): Promise<string> {
    await once(this.#server.listen(port, '127.0.0.1'), 'listening'); // throws if the port is taken
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
  misbehave(operation: Operation, ...faults: Fault<Own>[]): void {
    this.#faults.set(operation, [...(this.#faults.get(operation) ?? []), ...faults]);
  }

  /** From now on everything works. */
  behave(): void {
    this.#faults.clear();
    this.isUp = true;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const call = await callOf(request);
    const heard = this.isUp ? await this.#answer(call) : 'cut';
    if (heard === 'cut') request.socket.destroy();
    else reply(response, heard);
  }

  async #answer(call: Call): Promise<Answer | 'cut'> {
    const read = this.#read(call) ?? { status: 404, body: { error: 'not found' } };
    if (!('operation' in read)) return read;
    this.asked.push(read.operation);
    const fault = this.#faults.get(read.operation)?.shift();
    if (typeof fault === 'string') return this.#misbehaviours[fault](() => read.run());
    if (typeof fault === 'number') await sleep(fault);
    if (fault instanceof Promise) await fault;
    return read.run();
  }
}

async function callOf(request: IncomingMessage): Promise<Call> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString('utf8');
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1');
  const isForm = (request.headers['content-type'] ?? '').startsWith('application/x-www-form-urlencoded');
  const body = isForm ? Object.fromEntries(new URLSearchParams(text)) : text === '' ? {} : JSON.parse(text);
  const headers = request.headers as Record<string, string | undefined>;
  return { method: request.method ?? 'GET', path: pathname, query: searchParams, headers, body, text };
}

function reply(response: ServerResponse, { status, body, headers }: Answer): void {
  const type = typeof body === 'object' ? { 'content-type': 'application/json' } : {};
  response.writeHead(status, { ...type, ...headers });
  response.end(typeof body === 'object' ? JSON.stringify(body) : body); // with a 204 Node sends no body
}
