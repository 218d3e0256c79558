import { createConnection, createServer, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { signal } from './signal.ts';
import { carriesCommit, tcpProxy, type Verdict } from './tcp-proxy.ts';

const closing: (() => Promise<unknown> | unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** A server that remembers what arrived and answers "ok". */
async function echo() {
  const arrived: string[] = [];
  const got = signal<string>();
  const sockets: Socket[] = [];
  const server = createServer(socket => {
    sockets.push(socket);
    socket.on('error', () => {});
    socket.on('data', chunk => {
      arrived.push(String(chunk));
      got.fire(String(chunk));
      socket.write('ok');
    });
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { arrived, got: got.promise, port: (server.address() as { port: number }).port };
}

async function send(judge: () => Verdict) {
  const server = await echo();
  const proxy = await tcpProxy({ target: { host: '127.0.0.1', port: server.port }, judge });
  closing.push(proxy.close);
  const client = createConnection(proxy.port, '127.0.0.1');
  const ended = signal<string>();
  client.on('data', chunk => ended.fire(`answer ${chunk}`));
  client.on('error', error => ended.fire((error as NodeJS.ErrnoException).code ?? 'error'));
  client.write('hello');
  return { server, ended: ended.promise };
}

test('what passes arrives and is answered', async () => {
  const { server, ended } = await send(() => 'pass');
  expect(await ended).toBe('answer ok');
  expect(server.arrived).toEqual(['hello']);
});

test('cut before: the server never hears of it, the client is reset', async () => {
  const { server, ended } = await send(() => 'cut-before');
  expect(await ended).toBe('ECONNRESET');
  expect(server.arrived).toEqual([]);
});

test('cut after: the server did the work, the client is reset all the same', async () => {
  const { server, ended } = await send(() => 'cut-after');
  expect(await ended).toBe('ECONNRESET');
  expect(await server.got).toBe('hello');
});

test('swallowed: the server never hears of it, the client hears nothing, and the line stays open', async () => {
  const { server, ended } = await send(() => 'swallow');
  const other = await send(() => 'pass');
  expect(await Promise.race([ended, other.ended])).toBe('answer ok');
  expect(server.arrived).toEqual([]);
});

test('COMMIT is recognised as PostgreSQL puts it on the wire', () => {
  expect(carriesCommit(Buffer.from('Q\0\0\0\x0bcommit\0'))).toBe(true);
  expect(carriesCommit(Buffer.from('B\0\0\0\x12\0commit\0\0\0\0\0\0\x01\0\0'))).toBe(true);
  expect(carriesCommit(Buffer.from('Q\0\0\0\x0dselect 1\0'))).toBe(false);
  expect(carriesCommit(Buffer.from('B\0\0\0\x12\0melm_7\0\0\0\0\0\0\x01\0\0'))).toBe(false);
});
