import { randomInt } from 'node:crypto';
import { createServer, type Server } from 'node:net';

/** Below the ports that systems give away by themselves: what asks for any port, or calls somebody, does not get one of these. */
const [FIRST, LAST] = [20_000, 32_000];

/** Ports on loopback that nobody used a moment ago; all different. */
export async function freePorts(count: number): Promise<number[]> {
  const servers: Server[] = [];
  while (servers.length < count) {
    const server = await listening(randomInt(FIRST, LAST));
    if (server !== undefined) servers.push(server);
  }
  const ports = servers.map(server => (server.address() as { port: number }).port);
  await Promise.all(servers.map(server => new Promise(resolve => server.close(resolve))));
  return ports;
}

/** A server on this port; undefined where there is one already. */
function listening(port: number): Promise<Server | undefined> {
  const server = createServer();
  return new Promise(resolve => {
    server.once('error', () => resolve(undefined));
    server.listen(port, '127.0.0.1', () => resolve(server));
  });
}
