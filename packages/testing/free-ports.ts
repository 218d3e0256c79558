import { createServer } from 'node:net';

/** Ports on loopback that nobody used a moment ago; all different. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer());
  await Promise.all(
    servers.map(server => new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))),
  );
  const ports = servers.map(server => (server.address() as { port: number }).port);
  await Promise.all(servers.map(server => new Promise(resolve => server.close(resolve))));
  return ports;
}
