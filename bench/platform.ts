import { randomBytes } from 'node:crypto';
import { type ServerProcess, serve } from '@melmastoon/server/fixtures/server-process';
import { onClient } from './backbone/ground.ts';
import { startServers } from './backbone/servers.ts';

/** The hotel groups of the demo; the last keeps the rooms it has. */
export const slugs = ['bala-hissar', 'gazargah', 'silk-valley'] as const;

/** A whole platform: PostgreSQL and a server with the demo and its simulators, each a process of its own, on loopback. */
export type Platform = {
  url: string;
  adminUrl: string;
  demo: ServerProcess['demo'];
  /** By name, for those who count processor time. */
  pids: { server: number; postgres: number };
  stop(): Promise<void>;
};

/** Starts one; what is started ends with `stop`, or when a step fails. */
export async function startPlatform(): Promise<Platform> {
  const servers = await startServers(false);
  let server: ServerProcess | undefined;
  const stop = async () => {
    await server?.kill();
    await servers.stop();
  };
  try {
    const adminUrl = await servers.newDatabase('load');
    const database = { adminUrl, secret: randomBytes(32).toString('hex') };
    server = await serve({ database, demo: true });
    await makeRoom(adminUrl);
    const { url, demo, pid } = server;
    return { url, adminUrl, demo, pids: { server: pid, postgres: servers.postgresPid }, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * Two houses are made large, so that bookings do not end after a second; the third keeps its rooms and sells out. Rooms too,
 * and not only the capacity: a booking brings that back to what the rooms allow.
 */
function makeRoom(url: string): Promise<unknown> {
  const text = `update inventory.nights set rooms = 100000, capacity = 100000
    where tenant_id <> (select tenant_id from tenant.slugs where slug = $1)`;
  return onClient(url, client => client.query(text, [slugs.at(-1)]));
}
