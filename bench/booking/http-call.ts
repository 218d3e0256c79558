import { Agent, request } from 'node:http';

/** One request to the server. */
export type Call = {
  method: 'GET' | 'POST';
  path: string;
  headers: Readonly<Record<string, string>>;
  body?: unknown;
};

/** Its answer; `text` is read for those who need it. */
export type Reply = { status: number; cookie: string | undefined; text: string };

/** What a guest sees who gets no answer. */
export const noReply: Reply = { status: 0, cookie: undefined, text: '' };

/** A way to send calls over kept-alive connections, as many as are needed at once. */
export type Line = { send(call: Call): Promise<Reply>; close(): void };

/** A guest does not wait longer. */
const PATIENCE_MS = 10_000;

/** node:http and not fetch: fewer layers, and the server on the same machine needs the processor. */
export function openLine(url: string): Line {
  const agent = new Agent({ keepAlive: true, maxSockets: 1_000 });
  const send = ({ method, path, headers, body }: Call) =>
    new Promise<Reply>((resolve, reject) => {
      const sent = body === undefined ? undefined : JSON.stringify(body);
      const call = request(`${url}${path}`, {
        agent,
        method,
        headers: {
          ...headers,
          ...(sent === undefined
            ? {}
            : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(sent) }),
        },
        timeout: PATIENCE_MS,
      });
      call.on('timeout', () => call.destroy(new Error('no answer in time')));
      call.on('error', reject);
      call.on('response', reply => {
        const parts: Buffer[] = [];
        reply.on('data', part => parts.push(part));
        reply.on('error', reject);
        reply.on('end', () => {
          const [cookie] = reply.headers['set-cookie'] ?? [];
          const text = Buffer.concat(parts).toString();
          resolve({ status: reply.statusCode ?? 0, cookie: cookie?.split(';')[0], text });
        });
      });
      call.end(sent);
    });
  return { send, close: () => agent.destroy() };
}
