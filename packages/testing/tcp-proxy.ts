import { createConnection, createServer, type Socket } from 'node:net';

/** A cuttable line between a client and a server on this machine. */
export type TcpProxy = {
  port: number;
  /** The server's address as seen through the proxy. */
  through(url: string): string;
  cutAll(): void;
  close(): Promise<void>;
};

/**
 * What may be done to a chunk on its way: pass it on, cut the line before it is delivered, deliver it and cut the line
 * before any answer, or swallow it and all that follows on this line, which stays open: a server that is gone without a word.
 */
export type Verdict = 'pass' | 'cut-before' | 'cut-after' | 'swallow';

/** Starts a proxy to `target`. `judge` sees each chunk from the client and decides its fate. */
export async function tcpProxy(options: {
  target: { host: string; port: number };
  judge?: (chunk: Buffer) => Verdict;
}): Promise<TcpProxy> {
  const pairs = new Set<[Socket, Socket]>();
  const cut = ([client, server]: [Socket, Socket]) => {
    client.resetAndDestroy();
    server.destroy();
  };
  const listener = createServer({ allowHalfOpen: true }, client => {
    const server = createConnection(options.target);
    const pair: [Socket, Socket] = [client, server];
    pairs.add(pair);
    let deaf = false;
    let silent = false;
    client.on('data', chunk => {
      if (silent) return;
      const verdict = deaf ? 'pass' : (options.judge?.(chunk as Buffer) ?? 'pass');
      if (verdict === 'cut-before') return cut(pair);
      if (verdict === 'cut-after') {
        deaf = true; // the server works on; its answer never arrives
        client.resetAndDestroy();
        server.end(chunk);
        return;
      }
      silent = verdict === 'swallow';
      if (!silent) server.write(chunk);
    });
    client.on('end', () => {
      if (!silent) client.end(); // who says nothing does not say goodbye either
    });
    server.on('data', chunk => {
      if (!deaf && !silent) client.write(chunk);
    });
    for (const [here, there] of [pair, [server, client] as [Socket, Socket]]) {
      here.on('error', () => {});
      here.on('close', () => {
        if (!(here === client && deaf)) there.destroy();
        pairs.delete(pair);
      });
    }
  });
  await new Promise<void>(resolve => listener.listen(0, '127.0.0.1', resolve));
  const { port } = listener.address() as { port: number };
  return {
    port,
    through(url) {
      const other = new URL(url);
      other.hostname = '127.0.0.1';
      other.port = String(port);
      return other.href;
    },
    cutAll: () => [...pairs].forEach(cut),
    async close() {
      [...pairs].forEach(cut);
      await new Promise(resolve => listener.close(resolve));
    },
  };
}

/** Where the server of an address listens; a PostgreSQL that is named by its socket listens on this machine as well. */
export function targetOf(url: string): { host: string; port: number } {
  const { hostname, port } = new URL(url);
  return { host: hostname.startsWith('%2F') ? '127.0.0.1' : hostname, port: Number(port) };
}

/** True when the chunk carries PostgreSQL's COMMIT, alone or behind others: as text, or as the prepared statement of that name. */
export function carriesCommit(chunk: Buffer): boolean {
  return chunk.includes('Q\0\0\0\x0bcommit\0') || chunk.includes('\0commit\0');
}
